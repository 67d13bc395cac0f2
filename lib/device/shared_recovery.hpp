// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Recovery of a send queue that several scopes share, while the kernel runs on: recovery.hpp for
// SharedTxQueue.
//
//   const TxBatch batch = queue.send(scope, ...);
//   if (batch.status == TxStatus::kStopped) {
//     if (!recover_together(scope, words, kUsers, [&] { return exit_is_set(); }, queue)) return;
//   }
#pragma once

#include <cstdint>

#include "lib/device/recovery.hpp"
#include "lib/device/tx_shared.hpp"

namespace ringside {

/// Each of the queue's `users`, the scopes that send by it or poll it, calls this when a call has
/// said kStopped, between its batches; the last of them has the CPU reset the queue. A user that
/// does not send has to poll now and then, or all wait for it. `words`: of the queue, the same for
/// all users.
///
/// What was posted and not completed is lost, and each user's to count of its own. Tickets and
/// batches of before end with it: the queue is as new. Users of other queues are not concerned.
///
/// Collective in each scope; barriers. Waits for the other users and the CPU for as long as
/// `ends()`, which rank 0 asks, is false. false: it ended, or the CPU has given up; the queue stays
/// stopped, and the CPU may recover it after the kernel, and begin `shared` and batch_end anew.
template <Scope S, class Ends, Sharing kSharing, class Ops>
RS_DEVICE bool recover_together(S& scope, const RecoveryWords& words, std::uint32_t users,
                                Ends ends, SharedTxQueue<kSharing, Ops>& queue);

}  // namespace ringside

#include "lib/device/impl/shared_recovery.hpp"
