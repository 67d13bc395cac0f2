// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The CPU's part in the recovery of queues whose kernel runs on: commands and words; what lies in
// memory that the CPU may not reach the kernel does (lib/device/recovery.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "lib/mlx5/format/recovery.hpp"
#include "lib/mlx5/receive_ring.hpp"
#include "lib/mlx5/tx_queue.hpp"

namespace ringside::mlx5 {

/// How often, so that a cause that stays ends in a stop and not in a spin.
struct RecoveryPolicy {
  std::uint32_t limit = 5;  ///< recoveries in a row, 0: none
  /// Before the first of them; each after it waits for twice as long.
  std::uint64_t pause_ns = 10'000'000;
  /// A row is over when queues have worked for so long.
  std::uint64_t forget_ns = 10'000'000'000;
};

class QueueRecovery {
 public:
  /// What a kernel shares with the CPU, as the CPU reaches it, and the queues that it has: nullptr
  /// where it has none of the kind. All outlive it. `before_reuse`: while the send queue is in
  /// reset, and only then; false: not yet. `renew_rx`: rx->renew(EmptiedBy::kKernel), and leads
  /// what led to the former queue to that one, before the former goes.
  struct Parties {
    RecoveryRequest* request;
    RecoveryAnswer* answer;
    ReceiveRing* rx;
    TxQueue* tx;
    std::function<bool()> before_reuse = [] { return true; };
    std::function<void()> renew_rx = {};
  };
  enum class Event {
    kNone,
    kStopped,  ///< queues have stopped: the row's attempt() begins, after pause_ns()
    kReady,    ///< they are ready, the kernel goes on
    kGivenUp,  ///< no further attempt: reason(). The kernel ends
  };

  explicit QueueRecovery(Parties parties, const RecoveryPolicy& policy = {})
      : parties_(std::move(parties)), policy_(policy) {}

  /// Does what can be done now, and never waits: call it a few times in pause_ns, from one thread,
  /// while the kernel runs. Each event comes once.
  Event step(std::uint64_t now_ns);

  /// Completion queues of `queues` (kRecover*), which the kernel uses, have overrun
  /// (completions_overrun()). No CQE tells the kernel: makes it stop for their recovery, which the
  /// next steps see.
  void tell_overrun(std::uint32_t queues);

  /// When the kernel has ended, before ReceiveRing::recover(): takes in what it did of a recovery
  /// that it did not stay for.
  void kernel_ended();

  /// "send queue: LOCAL_PROTECTION_ERR (0x04): ..., vendor syndrome 0x51, WQE 17", or "send queue:
  /// its completion queue has overrun": since kStopped.
  std::string error() const;
  std::uint32_t attempt() const noexcept { return attempt_; }
  std::uint64_t pause_ns() const noexcept { return policy_.pause_ns << (attempt_ - 1); }
  const RecoveryPolicy& policy() const noexcept { return policy_; }
  const std::string& reason() const noexcept { return reason_; }

 private:
  enum class State { kWatching, kPausing, kEmptying, kOver };
  Event begin(std::uint32_t turn, std::uint64_t now_ns);
  Event give_up(std::string reason);
  void reset_queues();
  std::uint32_t overrun() const;
  void make_queues_ready();
  bool emptied();
  bool concerns(std::uint32_t queue) const noexcept { return (queues_ & queue) != 0; }

  Parties parties_;
  RecoveryPolicy policy_;
  State state_ = State::kWatching;
  std::uint32_t turn_ = 0;
  std::uint32_t queues_ = 0;
  std::uint32_t anew_ = 0;  ///< of queues_
  std::uint32_t attempt_ = 0;
  std::uint64_t since_ns_ = 0;  ///< the state, but for its repetition
  std::string reason_;
};

}  // namespace ringside::mlx5
