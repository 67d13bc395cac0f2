// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Recovery of queues that an error has stopped, while the kernel runs on. The CPU's part is
// mlx5::QueueRecovery (lib/mlx5/queue_recovery.hpp), which has to look at the words now and then.
//
//   const TxBatch batch = queue.send(block, ...);
//   if (batch.status == TxStatus::kStopped) {
//     const QueueStop stop{kRecoverSend, queue.stop_error()};
//     if (!recover(block, words, stop, [&] { return exit_is_set(); }, queue)) return;
//   }
//
// What was posted and not completed is lost, and the caller's to count. Tickets, batches and slots
// of before end with it: the queue is as new.
//
// A queue whose completion queue is dead says nothing; a kernel that waits for it looks now and
// then at what the CPU has found (QueueRecovery::tell_overrun()):
//
//   if (block.broadcast(silent_stops(words)) & kRecoverSend) {
//     const QueueStop stop{kRecoverSend, {}};  // the rest as above
#pragma once

#include <cstdint>

#include "lib/device/memory.hpp"
#include "lib/device/queue_error.hpp"
#include "lib/device/scope.hpp"
#include "lib/device/target.hpp"
#include "lib/mlx5/format/recovery.hpp"

namespace ringside {

struct RecoveryWords {
  RecoveryRequest* request;
  const RecoveryAnswer* answer;
};

/// What has stopped, and why.
struct QueueStop {
  std::uint32_t queue;  ///< kRecoverReceive or kRecoverSend
  QueueError error;     ///< {}: no CQE says
};

/// Of the kernel's queues (kRecover*) those that have stopped though no CQE says so; 0: none. Any
/// thread, relaxed: nothing else depends on it.
RS_DEVICE std::uint32_t silent_stops(const RecoveryWords& words) {
  return load_relaxed_system(&words.answer->silent);
}

/// Has the queues reset, empties them and goes on when they are ready. `queues`: all that the CPU
/// is to reset, an ExclusiveTxQueue, a ReceiveQueueOf, or both, or those that count (counted.hpp).
/// A receive queue needs all its slots back: where some are still being sent, reset the send queue
/// as well.
///
/// Collective in the scope that has the queues; barriers. Waits for the CPU, for as long as
/// `ends()`, which rank 0 asks, is false. false: it ended, or the CPU has given up; the queues stay
/// stopped, and the CPU may recover them after the kernel.
template <Scope S, class Ends, class... Queues>
RS_DEVICE bool recover(S& scope, const RecoveryWords& words, const QueueStop& stop, Ends ends,
                       Queues&... queues);

}  // namespace ringside

#include "lib/device/impl/recovery.hpp"
