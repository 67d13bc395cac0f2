// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/recovery.hpp, in steps that the forwarding loop takes too.
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

/// Release: the CPU makes the queues ready after this (QueueRecovery, acquire), and the NIC then
/// reads records and rings as they were left. One thread, a barrier behind the others' stores.
RS_DEVICE void tell_emptied(const RecoveryWords& words, std::uint32_t turn) {
  store_release_system(&words.request->emptied, turn);
}

template <Scope S, class Ends, class... Queues>
RS_DEVICE bool recover(S& scope, const RecoveryWords& words, const QueueStop& stop, Ends ends,
                       Queues&... queues) {
  scope.sync();
  std::uint32_t turn = 0;
  bool answered = false;
  if (scope.rank() == 0) {
    turn = request_recovery(words, stop, (... | Queues::kRecovers));
    answered = await_answer(scope, words, &words.answer->reset, turn, ends);
  }
  if (!scope.broadcast(answered)) return false;
  (queues.empty(scope, words.request), ...);
  scope.sync();
  if (scope.rank() == 0) {
    tell_emptied(words, turn);
    answered = await_answer(scope, words, &words.answer->ready, turn, ends);
  }
  if (!scope.broadcast(answered)) return false;
  (queues.refill(scope), ...);
  return true;
}

}  // namespace ringside
