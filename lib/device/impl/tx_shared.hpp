// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/tx_shared.hpp
#pragma once

#include <type_traits>

#include "lib/device/impl/attempt.hpp"
#include "lib/device/impl/converged_lanes.hpp"
#include "lib/device/impl/tx_content.hpp"
#include "lib/device/impl/tx_wqe.hpp"
#include "lib/device/tx_shared.hpp"

namespace ringside {

template <Sharing kSharing, class Ops>
RS_DEVICE SharedTxQueue<kSharing, Ops>::SharedTxQueue(const SharedTxQueueHandle& handle,
                                                      const Ops& ops)
    : handle_(handle), sharing_(ops, handle.shared, handle.batch_end, handle.queue.log_depth) {}

template <Sharing kSharing, class Ops>
template <Scope S>
RS_DEVICE auto SharedTxQueue<kSharing, Ops>::claim(S& scope, std::uint32_t count,
                                                   std::uint64_t timeout_ns) -> Claim {
  Claim claim{TxStatus::kFull, 0};
  attempt_until(scope, timeout_ns, [&] {
    for (int look = 0; look < 2; ++look) {
      claim.first = sharing_.try_reserve(count);
      if (claim.first != sharing_.kNone) {
        claim.status = TxStatus::kOk;
        return true;
      }
      if (look == 0) sharing_.poll(kAllCqes);
    }
    if (sharing_.stopped()) claim.status = TxStatus::kStopped;
    return claim.status == TxStatus::kStopped;
  });
  return claim;
}

/// kFull: nothing was claimed, for want of room or because the lanes want different things.
template <Sharing kSharing, class Ops>
RS_DEVICE auto SharedTxQueue<kSharing, Ops>::claim_together(ThreadScope& scope, std::uint32_t count,
                                                            std::uint64_t timeout_ns) -> Claim {
  const ConvergedLanes lanes;
  Claim claim{TxStatus::kFull, 0};
  const std::uint64_t leaders_count = lanes.of_leader(count);
  const std::uint64_t leaders_timeout = lanes.of_leader(timeout_ns);
  const bool alike = lanes.all(leaders_count == count && leaders_timeout == timeout_ns);
  // Half a ring at most, as for any batch that is to find room whoever asks for CQEs.
  if (lanes.count() == 1 || !alike || lanes.count() * count > (1U << handle_.queue.log_depth) / 2) {
    return claim;
  }
  // Without a wait: each alone may find room where all together do not.
  if (lanes.leads()) claim = this->claim(scope, lanes.count() * count, 0);
  claim.first = lanes.of_leader(claim.first) + lanes.rank() * count;
  claim.status = static_cast<TxStatus>(lanes.of_leader(static_cast<std::uint64_t>(claim.status)));
  return claim;
}

template <Sharing kSharing, class Ops>
template <Scope S>
RS_DEVICE TxBatch SharedTxQueue<kSharing, Ops>::reserve(S& scope, std::uint32_t count,
                                                        std::uint64_t timeout_ns, TxNotify notify) {
  Claim claim{TxStatus::kFull, 0};
  if (count > 1U << handle_.queue.log_depth) return TxBatch(claim.status);
  if constexpr (std::is_same_v<S, ThreadScope>) {
    claim = claim_together(scope, count, timeout_ns);
    if (claim.status == TxStatus::kFull) claim = this->claim(scope, count, timeout_ns);
  } else {
    if (scope.rank() == 0) claim = this->claim(scope, count, timeout_ns);
    claim = scope.broadcast(claim);
  }
  if (claim.status != TxStatus::kOk) return TxBatch(claim.status);
  return {claim.first, count, notify, handle_.queue.log_depth};
}

template <Sharing kSharing, class Ops>
template <Scope S>
RS_DEVICE void SharedTxQueue<kSharing, Ops>::publish(S& scope, std::uint64_t first,
                                                     std::uint64_t end, std::uint64_t peeked) {
  bool announce = true;
  scope.poll_until([&] {
    const bool published = sharing_.try_publish(first, end, peeked, announce);
    announce = false;
    return published;
  });
}

/// false: nothing was published, since the lanes' slots do not follow each other.
template <Sharing kSharing, class Ops>
RS_DEVICE bool SharedTxQueue<kSharing, Ops>::publish_together(ThreadScope& scope,
                                                              const TxBatch& batch) {
  const ConvergedLanes lanes;
  const std::uint64_t first = lanes.of_leader(batch.first);
  const bool follow = lanes.of_leader(batch.count) == batch.count &&
                      batch.first == first + std::uint64_t{lanes.rank()} * batch.count;
  if (!lanes.all(follow)) return false;
  const std::uint64_t end = first + std::uint64_t{lanes.count()} * batch.count;
  lanes.sync();
  if (lanes.leads()) publish(scope, first, end, sharing_.peek(end));
  lanes.sync();
  return true;
}

template <Sharing kSharing, class Ops>
template <Scope S>
RS_DEVICE void SharedTxQueue<kSharing, Ops>::commit(S& scope, const TxBatch& batch) {
  asked_ = batch.asked(asked_);
  if constexpr (std::is_same_v<S, ThreadScope>) {
    if (!publish_together(scope, batch)) {
      publish(scope, batch.first, batch.end(), sharing_.peek(batch.end()));
    }
  } else {
    // The last rank publishes, since rank 0 is the one that reserves the next batch.
    const bool publishes = scope.rank() == scope.size() - 1;
    const std::uint64_t end = batch.end();
    const std::uint64_t peeked = publishes ? sharing_.peek(end) : 0;  // under way over the barrier
    scope.sync();
    if (publishes) publish(scope, batch.first, end, peeked);
  }
}

template <Sharing kSharing, class Ops>
template <Scope S>
RS_DEVICE TxStatus SharedTxQueue<kSharing, Ops>::poll_at(S& scope, TxTicket ticket,
                                                         std::uint64_t timeout_ns) {
  TxStatus status = TxStatus::kPending;
  if (scope.rank() == 0) {
    attempt_until(scope, timeout_ns, [&] {
      if (sharing_.completed() < ticket) sharing_.poll(kAllCqes);
      // In this order: poll() tells that the queue has stopped after what it has completed.
      const bool stopped = sharing_.stopped();
      if (sharing_.completed() >= ticket) {
        status = TxStatus::kOk;
      } else if (stopped) {
        status = TxStatus::kStopped;
      }
      return status != TxStatus::kPending;
    });
  }
  return scope.broadcast(status);
}

template <Sharing kSharing, class Ops>
template <Scope S>
RS_DEVICE TxStatus SharedTxQueue<kSharing, Ops>::take_some(S& scope, std::uint32_t most,
                                                           std::uint64_t timeout_ns) {
  TxStatus status = TxStatus::kPending;
  if (scope.rank() == 0) {
    attempt_until(scope, timeout_ns, [&] {
      if (sharing_.poll(most) != 0) status = TxStatus::kOk;
      if (sharing_.stopped()) status = TxStatus::kStopped;
      return status != TxStatus::kPending;
    });
  }
  return scope.broadcast(status);
}

}  // namespace ringside
