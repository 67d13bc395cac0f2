// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/tx_exclusive.hpp
#pragma once

#include "lib/device/impl/attempt.hpp"
#include "lib/device/impl/blue_flame.hpp"
#include "lib/device/impl/empty_queue.hpp"
#include "lib/device/impl/tx_content.hpp"
#include "lib/device/impl/tx_cqe.hpp"
#include "lib/device/impl/tx_wqe.hpp"
#include "lib/device/tx_exclusive.hpp"

namespace ringside {

RS_DEVICE ExclusiveTxQueue::ExclusiveTxQueue(const TxQueueHandle& handle)
    : handle_(handle),
      posted_(handle.state->posted),
      completed_(handle.state->completed),
      cq_consumed_(handle.state->cq_consumed) {}

template <Scope S>
RS_DEVICE TxBatch ExclusiveTxQueue::reserve(S& scope, std::uint32_t count, std::uint64_t timeout_ns,
                                            TxNotify notify) {
  const std::uint64_t depth = std::uint64_t{1} << handle_.log_depth;
  const std::uint64_t first = posted_;
  if (stopped_ || first + count > completed_ + depth) {
    const std::uint64_t upto = first + count - depth;
    const TxStatus status = count > depth
                                ? TxStatus::kFull
                                : take_in(scope, kAllCqes, timeout_ns,
                                          [&](const auto& seen) { return seen.completed >= upto; });
    if (stopped_) return TxBatch(TxStatus::kStopped);
    if (status != TxStatus::kOk) return TxBatch(TxStatus::kFull);
  }
  posted_ += count;
  return {first, count, notify, handle_.log_depth};
}

template <Scope S>
RS_DEVICE void ExclusiveTxQueue::commit(S& scope, const TxBatch& batch) {
  scope.sync();
  asked_ = batch.asked(asked_);
  // The last rank, since rank 0 is the one that may have completions to read for the next batch.
  const bool announces = scope.rank() == scope.size() - 1;
  if (takes_blue_flame(handle_, batch)) {
    blue_flame(scope, handle_, batch.first);
  } else if (announces) {
    announce_sends(handle_, batch.end());
  }
  if (announces) handle_.state->posted = batch.end();
}

template <Scope S>
RS_DEVICE TxStatus ExclusiveTxQueue::poll_at(S& scope, TxTicket ticket, std::uint64_t timeout_ns) {
  if (completed_ >= ticket) return TxStatus::kOk;
  return take_in(scope, kAllCqes, timeout_ns,
                 [&](const auto& seen) { return seen.completed >= ticket; });
}

template <Scope S>
RS_DEVICE TxStatus ExclusiveTxQueue::take_some(S& scope, std::uint32_t most,
                                               std::uint64_t timeout_ns) {
  return take_in(scope, most, timeout_ns, [consumed = cq_consumed_](const auto& seen) {
    return seen.cq_consumed != consumed && !seen.stopped;
  });
}

template <Scope S, class Enough>
RS_DEVICE TxStatus ExclusiveTxQueue::take_in(S& scope, std::uint32_t most, std::uint64_t timeout_ns,
                                             Enough enough) {
  if (stopped_) return TxStatus::kStopped;
  TxProgress progress{completed_, cq_consumed_, false, {}};
  if (scope.rank() == 0) {
    attempt_until(scope, timeout_ns, [&] {
      progress = read_send_cqes({handle_.cqe, handle_.log_cq_depth}, progress.completed,
                                progress.cq_consumed, most);
      return enough(progress) || progress.stopped;
    });
    if (progress.cq_consumed != cq_consumed_) {
      give_send_cqes_back(handle_, progress.cq_consumed);
      handle_.state->completed = progress.completed;
      handle_.state->cq_consumed = progress.cq_consumed;
    }
  }
  // The barrier hands on what the reads acquired: any thread may write the slots that are free.
  progress = scope.broadcast(progress);
  completed_ = progress.completed;
  cq_consumed_ = progress.cq_consumed;
  stopped_ = progress.stopped;
  stop_error_ = progress.error;
  if (enough(progress)) return TxStatus::kOk;
  return stopped_ ? TxStatus::kStopped : TxStatus::kPending;
}

template <Scope S>
RS_DEVICE void ExclusiveTxQueue::empty(S& scope, const RecoveryWords& words) {
  TxQueueState state{};
  if (scope.rank() == 0) {
    state = empty_sends(handle_, cq_consumed_, is_made_anew(words, kRecoverSend));
  }
  state = scope.broadcast(state);
  posted_ = state.posted;
  completed_ = state.completed;
  cq_consumed_ = state.cq_consumed;
  asked_ = 0;
  stopped_ = false;
  stop_error_ = {};
}

template <Scope S>
RS_DEVICE void ExclusiveTxQueue::refill(S&, const RecoveryWords& words) {
  handle_.sqn = load_relaxed_system(&words.answer->sqn);
}

}  // namespace ringside
