// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Executes the send queues of one port.
#pragma once

#include <cstdint>
#include <optional>

#include "lib/softcx/data/frame_editor.hpp"
#include "lib/softcx/data/late_writes.hpp"
#include "lib/softcx/data/send_gather.hpp"
#include "lib/softcx/data/send_wqe.hpp"
#include "lib/softcx/nic/device.hpp"
#include "lib/softcx/nic/nic_clock.hpp"
#include "lib/softcx/wire/wire.hpp"

namespace softcx {

class Transmitter {
 public:
  /// `dma`: the way to device memory; nullptr: there is none. `late_writes`: of the NIC, or
  /// nullptr.
  Transmitter(Device& device, Wire& wire, const NicClock& clock, DeviceDma* dma = nullptr,
              LateWrites* late_writes = nullptr)
      : device_(device),
        wire_(wire),
        wire_reads_(wire.reads_frames()),
        clock_(clock),
        late_writes_(late_writes),
        line_(device.line_bits_per_s),
        dma_(dma),
        staged_(dma) {
    if (dma_ != nullptr) gather_.emplace(device, *dma_);
  }

  /// Executes WQEs from sq.consumer up to sq.producer, about `budget` frames of them; returns how
  /// many frames, and WQEs without a frame, there were. An error stops the queue: its WQEs are then
  /// flushed. A queue that waits for a time, or for the line, says so by sq.resume_ns: what it
  /// sends then has the time at which it would have left a NIC, which is never late, and comes from
  /// WQEs that were posted by then. What WQEs read from device memory is fetched first, while
  /// earlier ones are executed; a queue that waits for that counts as one that has done something.
  std::uint32_t run(Sq& sq, std::uint32_t budget) noexcept;

  /// Puts the queue into the error state with an error CQE for the WQE at `index`.
  void fail(Sq& sq, std::uint16_t index, std::uint8_t opcode, Fault fault) noexcept;
  /// Fails the next WQE in place of executing it. One must be posted.
  void fail_next(Sq& sq, Fault fault) noexcept;

 private:
  /// Those below `end`, a value of Sq::consumer.
  std::uint32_t run_until(Sq& sq, std::uint64_t end, std::uint32_t budget) noexcept;
  /// Executes what has been fetched, and fetches more.
  std::uint32_t run_fetched(Sq& sq, std::uint32_t budget) noexcept;
  /// Has about `budget` reads fetched; executes what needs none and is next.
  std::uint32_t fetch(Sq& sq, std::uint32_t budget) noexcept;
  /// Adds WQEs to the batch while they are plain sends, `most` and what there is room for at most,
  /// of the `posted` ones; returns how many.
  std::uint32_t add_plain_sends(Sq& sq, KeyReader& keys, std::uint32_t posted,
                                std::uint32_t most) noexcept;
  /// Does what the queue sends have a time?
  bool has_times(const Sq& sq) const noexcept { return sq.timed || line_.has_rate(); }
  /// Does a WAIT, or leaves it for later.
  Fault wait(Sq& sq, const std::uint8_t* wqe) noexcept;
  /// Executes the WQE at the consumer index, whatever it is; returns its work.
  std::uint32_t step(Sq& sq, KeyReader& keys, std::uint32_t available) noexcept;
  Fault execute(Sq& sq, KeyReader& keys, const std::uint8_t* wqe, const WqeControl& control,
                std::uint32_t& frames) noexcept;
  /// Sends the batch and writes the completions that it owes.
  void send_batch(Sq& sq) noexcept;
  /// Neither a runt nor above the MTU, without a look at their tags.
  bool all_of_ordinary_length(std::span<const Frame> frames) const noexcept;
  void send_one_by_one(std::span<const Frame> frames) noexcept;
  void send_edited(const Frame& frame, const FrameEdits& edits) noexcept;
  /// Drops a frame that no port may send, and counts it.
  bool refuse(const Frame& frame) noexcept;
  void put_on_wire(std::span<const Frame> frames) noexcept;
  /// Into the error state. False: it was not ready.
  bool stop(Sq& sq) noexcept;
  bool finish(Sq& sq, OwedCompletion owed) noexcept;
  std::uint32_t flush(Sq& sq) noexcept;

  Device& device_;
  Wire& wire_;
  const bool wire_reads_;
  const NicClock& clock_;
  LateWrites* const late_writes_;
  Line line_;
  std::uint64_t known_end_ = 0;     ///< Sq::consumer of what was posted before this turn
  std::uint64_t last_left_ns_ = 0;  ///< of the batch that was sent last, where it has times
  DeviceDma* const dma_;
  StagedReads staged_;
  std::optional<SendGather> gather_;
  FrameBatch batch_;  ///< of the queue that runs; empty between two runs
  FrameEditor editor_;
  alignas(64) WrappedWqe wrapped_{};
};

}  // namespace softcx
