// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/shared_recovery.hpp
#pragma once

#include "lib/device/impl/empty_queue.hpp"
#include "lib/device/impl/recovery.hpp"
#include "lib/device/shared_recovery.hpp"
#include "lib/device/thread_scope.hpp"

namespace ringside {

struct SharedRecovery {
  /// One thread of a scope, for all of its. true: the queue is as new.
  template <Scope S, class Ends, class Queue>
  RS_DEVICE static bool by_one(S& scope, const RecoveryWords& words, std::uint32_t users, Ends ends,
                               Queue& queue) {
    TxArrival arrival{};
    bool arrived = false;
    scope.poll_until([&] {
      arrived = queue.sharing_.try_arrive(users, arrival);
      return arrived || ends();
    });
    if (!arrived) return false;
    bool helped = false;
    if (arrival.leads) {
      helped = lead(words, ends, queue);
      queue.sharing_.end_recovery(arrival, helped);
      return helped;
    }
    bool ended = false;
    scope.poll_until([&] {
      ended = queue.sharing_.recovery_ended(arrival, helped);
      return ended || ends();
    });
    return ended && helped;
  }

  /// Each thread, behind a barrier.
  template <class Queue>
  RS_DEVICE static void begin_again(Queue& queue, const RecoveryWords& words) {
    // The user that led has acquired the CPU's answer, and released it to the others.
    const std::uint32_t number = load_relaxed_system(&words.answer->sqn);
    queue.handle_.queue.sqn = number;
    queue.sharing_.forget(number);
    queue.asked_ = 0;
  }

 private:
  template <class Ends, class Queue>
  RS_DEVICE static bool lead(const RecoveryWords& words, Ends ends, Queue& queue) {
    ThreadScope alone;
    return have_reset(alone, words, {kRecoverSend, queue.stop_error()}, kRecoverSend, ends, [&] {
      const TxQueueState empty = empty_send_ring(queue.handle_.queue, queue.sharing_.cq_consumed(),
                                                 is_made_anew(words, kRecoverSend));
      queue.sharing_.begin_again(empty.cq_consumed);
    });
  }
};

template <Scope S, class Ends, Sharing kSharing, class Ops>
RS_DEVICE bool recover_together(S& scope, const RecoveryWords& words, std::uint32_t users,
                                Ends ends, SharedTxQueue<kSharing, Ops>& queue) {
  scope.sync();
  bool helped = false;
  if (scope.rank() == 0) helped = SharedRecovery::by_one(scope, words, users, ends, queue);
  helped = scope.broadcast(helped);  // a barrier, which hands on what rank 0 has acquired
  if (helped) SharedRecovery::begin_again(queue, words);
  return helped;
}

}  // namespace ringside
