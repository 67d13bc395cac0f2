// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A stream's packets on their way through the GPU: received by the CPU, processed in bursts of
// which several are in flight, sent by the CPU in the order received. One thread at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/gpu/burst_lanes.hpp"
#include "lib/runtime/config_check.hpp"
#include "lib/runtime/pmd_stream.hpp"

namespace ringside {

/// Where packets come from and go to. The mbufs of packets received are the caller's, those of
/// packets sent no more.
class PacketQueues {
 public:
  virtual ~PacketQueues() = default;
  virtual std::uint16_t receive(std::span<rte_mbuf*> mbufs) noexcept = 0;
  virtual std::uint16_t send(std::span<rte_mbuf*> mbufs) noexcept = 0;
};

class BurstFlow {
 public:
  /// All must live longer. Counts what it sends, consumes and drops in `counters`.
  BurstFlow(BurstLane& lane, PacketQueues& queues, PmdCounters& counters, std::uint16_t burst);

  /// Receives where there is room, sends what is done. A burst goes to the GPU when it is full, or
  /// when nothing more comes and the GPU has none: a launch costs the same for few packets as for
  /// many, and a GPU that is busy gains nothing from having them early. A send queue that is full
  /// holds packets back, so that the NIC counts what finds no buffer; none is dropped for it. true:
  /// something moved.
  bool serve() noexcept;
  bool empty() const noexcept { return submitted_ == sent_ && filling().count == 0; }
  /// Finishes what is in hand without receiving; at the deadline drops what the send queue has not
  /// taken. What the GPU still has stays in hand.
  void drain(Deadline deadline) noexcept;
  /// The GPU will not touch packets any more: drops what it has.
  void give_up() noexcept;
  /// What it does, or did last, in words. Any thread.
  const char* step() const noexcept { return step_.load(std::memory_order_relaxed); }
  /// The GPU has refused a burst, so that no more are received. Any thread.
  bool refused() const noexcept { return refused_.load(std::memory_order_relaxed); }

 private:
  struct Burst {
    std::array<rte_mbuf*, kMaxBurst> mbufs;
    std::uint16_t count = 0;
    std::uint16_t sent = 0;
    bool judged = false;

    std::span<rte_mbuf*> unsent() noexcept { return std::span(mbufs).subspan(sent, count - sent); }
    void clear() noexcept {
      count = sent = 0;
      judged = false;
    }
  };

  Burst& at(std::uint64_t index) noexcept { return bursts_[index % bursts_.size()]; }
  const Burst& filling() const noexcept { return bursts_[submitted_ % bursts_.size()]; }
  bool can_submit() const noexcept {
    return !refused() && !lane_.full() && submitted_ - sent_ + 1 < bursts_.size();
  }
  void begin(const char* step) noexcept { step_.store(step, std::memory_order_relaxed); }
  bool receive() noexcept;
  void submit() noexcept;
  bool forward() noexcept;
  /// Of the oldest burst that is not judged. false: the GPU has it yet.
  bool judge(Burst& burst) noexcept;
  bool send(Burst& burst) noexcept;

  BurstLane& lane_;
  PacketQueues& queues_;
  PmdCounters& counters_;
  const std::uint16_t burst_;
  std::vector<Burst> bursts_;
  std::uint64_t submitted_ = 0;  ///< bursts; the next one is being filled
  std::uint64_t sent_ = 0;
  std::atomic<const char*> step_{"not begun"};
  std::atomic<bool> refused_{false};
};

}  // namespace ringside
