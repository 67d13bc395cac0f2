// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/recovery.hpp, and the turn that it has in common with the forwarding loop.
#pragma once

#include "lib/device/memory.hpp"
#include "lib/device/recovery.hpp"

namespace ringside {

/// Says what has stopped; returns the turn. One thread.
RS_DEVICE std::uint32_t request_recovery(const RecoveryWords& words, const QueueStop& stop,
                                         std::uint32_t queues) {
  RecoveryRequest* const request = words.request;
  const std::uint32_t turn = request->stopped + 1;  // nobody else writes it
  store_relaxed_system(&request->queues, queues);
  store_relaxed_system(&request->error, queue_error_bits(stop.error));
  store_relaxed_system(&request->error_queue, stop.queue);
  // Release: the CPU that sees the turn (QueueRecovery, acquire) sees these, and the caller's
  // counters. What the scope's threads did to the rings is over by a barrier of the caller's.
  store_release_system(&request->stopped, turn);
  return turn;
}

/// Does the CPU make the CQ of `queue`, a kRecover*, anew, too? In a turn, behind await_answer() of
/// `reset`.
RS_DEVICE bool is_made_anew(const RecoveryWords& words, std::uint32_t queue) {
  return (load_relaxed_system(&words.answer->anew) & queue) != 0;
}

/// Waits until the CPU has said so of this turn, in `word` of its answer. One thread. false: the
/// CPU has given up, or ends().
template <Scope S, class Ends>
RS_DEVICE bool await_answer(S& scope, const RecoveryWords& words, const std::uint32_t* word,
                            std::uint32_t turn, Ends ends) {
  bool answered = false;
  scope.poll_until([&] {
    // Acquire: meets the CPU's release after its command has ended. So what the command did to the
    // queue comes before all that follows here.
    answered = load_acquire_system(word) == turn;
    return answered || load_relaxed_system(&words.answer->given_up) != 0 || ends();
  });
  return answered;
}

/// A turn: has the queues (kRecover*) reset, empties them by empty(), a collective step that may
/// tell the CPU more by the request, and returns when they are ready. `stop` is rank 0's. The
/// caller's threads have met since they touched the rings. Collective; a barrier. false: see
/// recover().
template <Scope S, class Ends, class Empty>
RS_DEVICE bool have_reset(S& scope, const RecoveryWords& words, const QueueStop& stop,
                          std::uint32_t queues, Ends ends, Empty empty) {
  std::uint32_t turn = 0;
  bool answered = false;
  if (scope.rank() == 0) {
    turn = request_recovery(words, stop, queues);
    answered = await_answer(scope, words, &words.answer->reset, turn, ends);
  }
  if (!scope.broadcast(answered)) return false;
  empty();
  scope.sync();
  if (scope.rank() == 0) {
    // Release: the CPU makes the queues ready after this (QueueRecovery, acquire), and the NIC then
    // reads records and rings as they were left, by other threads before the barrier.
    store_release_system(&words.request->emptied, turn);
    answered = await_answer(scope, words, &words.answer->ready, turn, ends);
  }
  return scope.broadcast(answered);
}

template <Scope S, class Ends, class... Queues>
RS_DEVICE bool recover(S& scope, const RecoveryWords& words, const QueueStop& stop, Ends ends,
                       Queues&... queues) {
  scope.sync();
  if (!have_reset(scope, words, stop, (... | Queues::kRecovers), ends,
                  [&] { (queues.empty(scope, words), ...); })) {
    return false;
  }
  (queues.refill(scope, words), ...);
  return true;
}

}  // namespace ringside
