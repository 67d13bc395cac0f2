// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Finds queues that have stopped without a completion that says so: a send queue that the NIC does
// not execute, a completion queue that is dead. Kernels wait for completions and cannot tell. What
// they know of a queue may be out of the CPU's reach, so this is told from the stream's counters.
#pragma once

#include <cstdint>
#include <string>

#include "lib/device/stream.hpp"
#include "lib/mlx5/receive_ring.hpp"
#include "lib/mlx5/tx_queue.hpp"

namespace ringside {

/// Packets that were posted, and of which none completes any more.
class SendStandstill {
 public:
  /// How long they have waited, as far as it was looked at; 0: none waits, or some have completed
  /// since the last look.
  std::uint64_t waited_ns(const StreamCounters& counters, std::uint64_t now_ns) noexcept;

 private:
  std::uint64_t completed_ = 0;
  std::uint64_t since_ns_ = 0;  ///< 0: nothing waits
};

class QueueWatch {
 public:
  /// How long packets may wait before that is a fault. Flow control of a busy link pauses for less.
  static constexpr std::uint64_t kPatienceNs = 1'000'000'000;

  struct Finding {
    /// Once: what has stopped and what to do; or that it goes on again. Else empty.
    std::string text;
    /// kRecover*: whose completion queues have overrun. Of those that are recovered there is no
    /// text about it, and each look says it again.
    std::uint32_t overrun = 0;
  };

  /// `recovered`: which queues (kRecover*) can be while the kernel runs.
  explicit QueueWatch(std::uint32_t recovered) : recovered_(recovered) {}

  /// To be called a few times in kPatienceNs while a kernel runs; asks the NIC only about a queue
  /// that makes no progress. Throws Error.
  Finding look(const StreamCounters& counters, const mlx5::TxQueue& tx, const mlx5::ReceiveRing& rx,
               std::uint64_t now_ns);
  /// At the end of a run: what it has ended with, or empty. `sends_lost`: some have not completed.
  const std::string& fault(bool sends_lost) const noexcept {
    return sends_lost && !send_fault_.empty() ? send_fault_ : receive_fault_;
  }

 private:
  Finding look_at_send(const StreamCounters& counters, const mlx5::TxQueue& tx,
                       std::uint64_t now_ns);
  Finding look_at_receive(const StreamCounters& counters, const mlx5::ReceiveRing& rx);
  /// `fault`: where the text is kept.
  Finding overrun(std::uint32_t queue, std::string& fault) const;

  std::uint32_t recovered_;
  SendStandstill standstill_;
  std::uint64_t received_ = 0;
  std::string send_fault_, receive_fault_;  ///< as told
};

}  // namespace ringside
