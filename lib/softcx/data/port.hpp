// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// One port of the NIC: its wire, its send side and its receive side.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

#include "lib/softcx/data/late_writes.hpp"
#include "lib/softcx/data/receive_queue.hpp"
#include "lib/softcx/data/transmitter.hpp"
#include "lib/softcx/nic/device.hpp"
#include "lib/softcx/nic/nic_clock.hpp"
#include "lib/softcx/wire/wire.hpp"

namespace softcx {

class Port final : public Receiver {
 public:
  /// `clock` outlives the port and is read for time stamps; so does `dma`, the way to device memory
  /// of the thread that runs the port. nullptr: there is none. `late_writes`: of the NIC; nullptr:
  /// its completions wait for their packets.
  Port(Device& device, std::unique_ptr<Wire> wire, const NicClock& clock, DeviceDma* dma = nullptr,
       LateWrites* late_writes = nullptr)
      : device_(device),
        wire_(std::move(wire)),
        clock_(clock),
        writes_(dma != nullptr ? &dma->writes() : nullptr),
        late_writes_(late_writes),
        transmitter_(device, *wire_, clock, dma, late_writes) {}

  /// Takes frames from the wire; one that finds no buffer is lost and counted.
  void receive_batch(std::span<const Frame> frames) override;
  void receive(const Frame& frame) { receive_batch({&frame, 1}); }
  /// Takes what the wire holds, at most `budget` frames; returns how many.
  std::uint32_t receive_from_wire(std::uint32_t budget) noexcept;
  /// A quiescent point: forgets everything that steering has said, and what is late lands.
  void forget() noexcept {
    held_.reset();
    if (late_writes_ != nullptr) late_writes_->land_all();
  }
  /// Lands what has been late for long enough. True: more is on its way.
  bool land_late() noexcept {
    return late_writes_ != nullptr && late_writes_->land_due(clock_.now_ns());
  }

  Device& device() noexcept { return device_; }
  const Device& device() const noexcept { return device_; }
  Wire& wire() noexcept { return *wire_; }
  const Wire& wire() const noexcept { return *wire_; }
  Transmitter& transmitter() noexcept { return transmitter_; }

 private:
  /// Made in place: a verdict is too long to be copied for each packet, and facts that were written
  /// one by one are slow to be read together.
  struct Classified {
    Classified(Classifier& classifier, std::span<const std::uint8_t> headers,
               std::uint32_t frame_length)
        : verdict(classifier.classify(headers, frame_length, facts)) {}

    HeaderFacts facts;
    Verdict verdict;
  };

  /// Frames that arrive together: writers of the queues that they went to, and counts to be added
  /// up.
  class Row {
   public:
    /// `is_long`: of so many frames that it pays to fetch ahead for the first ones.
    explicit Row(bool is_long) noexcept : is_long_(is_long) {}

    RqWriter& writer_of(Rq& rq, std::uint64_t now_ns, DeviceWrites* writes,
                        LateWrites* late) noexcept {
      const std::uint32_t at = rq.rqn % kWriters;
      if (queues_[at] != &rq) [[unlikely]] {
        std::construct_at(&writers_[at].writer, rq, now_ns, writes, late);
        queues_[at] = &rq;
        if (is_long_) writers_[at].writer.prefetch_first();
      }
      return writers_[at].writer;
    }

    std::uint64_t delivered = 0, bytes = 0;

   private:
    static constexpr std::size_t kWriters = 4;
    /// Not made before it is wanted: most rows go to one queue, and many are of one frame.
    union Place {
      Place() noexcept {}
      RqWriter writer;
    };
    static_assert(std::is_trivially_destructible_v<RqWriter>);

    const bool is_long_;
    /// Queues share a place by their numbers' low bits; a flow's hash spreads over few.
    std::array<const Rq*, kWriters> queues_{};
    std::array<Place, kWriters> writers_;
  };

  bool refuse(const Frame& frame) noexcept;
  Classified classify(const Frame& frame) noexcept;
  /// False: there is no buffer now, and the frame stays on the wire.
  bool offer(const Frame& frame) noexcept;
  void add_up(const Row& row) noexcept;
  void deliver_and_count(const Frame& frame, const Classified& classified, Row& row) noexcept;
  std::uint32_t replay(std::uint32_t budget) noexcept;

  Device& device_;
  std::unique_ptr<Wire> wire_;
  const NicClock& clock_;
  DeviceWrites* const writes_;
  LateWrites* const late_writes_;
  Transmitter transmitter_;
  bool replay_begun_ = false;
  std::optional<Classified> held_;  ///< of the frame that waits on the wire
  std::array<std::uint8_t, kMaxHeaderBytes> headers_{};
};

}  // namespace softcx
