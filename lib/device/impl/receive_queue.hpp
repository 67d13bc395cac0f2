// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/receive_queue.hpp
#pragma once

#include "lib/device/impl/attempt.hpp"
#include "lib/device/impl/empty_queue.hpp"
#include "lib/device/impl/rx_cqe.hpp"
#include "lib/device/memory.hpp"
#include "lib/device/receive_queue.hpp"

namespace ringside {

/// Of all threads' values; a scope of one thread need not know how. A barrier.
template <Scope S>
RS_DEVICE std::uint32_t scope_min(S& scope, std::uint32_t value) {
  if constexpr (requires { scope.min(value); }) {
    return scope.min(value);
  } else {
    return value;
  }
}

/// Each value becomes its sum over the scope; one of a thread need not know how. A barrier.
template <Scope S, class T, std::size_t N>
RS_DEVICE void scope_sum(S& scope, T (&values)[N]) {
  if constexpr (requires { scope.sum(values); }) scope.sum(values);
}

template <bool kSplit>
RS_DEVICE ReceiveQueueOf<kSplit>::ReceiveQueueOf(const RxQueueHandle& handle)
    : handle_(handle), received_(handle.state->received), released_(handle.state->released) {}

template <bool kSplit>
RS_DEVICE bool ReceiveQueueOf<kSplit>::ready(std::uint32_t i, std::uint8_t& op_own) const {
  // Meets the NIC's write of the CQE, which comes after that of the packet.
  op_own = load_acquire_system(&cqe_at(handle_, received_ + i)->op_own);
  return cqe_is_ready(handle_, received_ + i, op_own);
}

template <bool kSplit>
template <Scope S>
RS_DEVICE RxBatch ReceiveQueueOf<kSplit>::receive(S& scope, const RxWant& want) {
  const std::uint32_t posted = depth() - kept();
  const std::uint32_t most = want.most < posted ? want.most : posted;
  const std::uint32_t least = want.least < most ? want.least : most;
  if (want.timeout_ns > 0 && least > 0) {
    if (scope.rank() == 0) {
      // CQEs come in order, and those of a queue that has stopped too: it flushes what is posted.
      std::uint8_t op_own = 0;
      attempt_until(scope, want.timeout_ns, [&] { return ready(least - 1, op_own); });
    }
    scope.sync();
  }
  // Twice the first CQE that cannot be taken, and one more where it is not there.
  std::uint32_t key = 2 * most + 1;
  for (std::uint32_t i = scope.rank(); i < most; i += scope.size()) {
    std::uint8_t op_own = 0;
    const bool there = ready(i, op_own);
    const CqeOpcode opcode = cqe_opcode(op_own);
    if (there && opcode == CqeOpcode::kResponderSend) continue;
    const bool costs_one =
        there && opcode == CqeOpcode::kResponderError &&
        !stops_receive_queue(queue_error(*cqe_at(handle_, received_ + i)).syndrome);
    if (costs_one) continue;
    key = 2 * i + (there ? 0U : 1U);
    break;
  }
  key = scope_min(scope, key);
  const RxBatch batch{received_, key >> 1, (key & 1U) == 0};
  for (std::uint32_t i = scope.rank(); i < batch.count; i += scope.size()) {
    handle_.slot_references[slot(batch, i)] = 1;
  }
  received_ += batch.count;
  scope.sync();  // any thread may release any of them
  return batch;
}

template <bool kSplit>
RS_DEVICE bool ReceiveQueueOf<kSplit>::is_packet(const RxBatch& batch, std::uint32_t i) const {
  return cqe_opcode(cqe_at(handle_, batch.first + i)->op_own) == CqeOpcode::kResponderSend;
}

template <bool kSplit>
RS_DEVICE typename ReceiveQueueOf<kSplit>::Received ReceiveQueueOf<kSplit>::packet(
    const RxBatch& batch, std::uint32_t i) const {
  const std::uint32_t in = slot(batch, i);
  const Packet first(cqe_at(handle_, batch.first + i), handle_.slot_iova[in], handle_.view_offset,
                     in);
  if constexpr (kSplit) {
    return {first, handle_.buffer_length, handle_.payload_iova + in, handle_.payload_view_offset};
  } else {
    return first;
  }
}

template <bool kSplit>
RS_DEVICE std::uint32_t ReceiveQueueOf<kSplit>::slot(const RxBatch& batch, std::uint32_t i) const {
  return slot_of(handle_, batch.first + i);
}

template <bool kSplit>
RS_DEVICE QueueError ReceiveQueueOf<kSplit>::stop_error(const RxBatch& batch) const {
  return stop_error_of(handle_, batch);
}

template <bool kSplit>
RS_DEVICE void ReceiveQueueOf<kSplit>::release(std::uint32_t slot) const {
  handle_.slot_references[slot] = 0;
}

template <bool kSplit>
template <Scope S>
RS_DEVICE void ReceiveQueueOf<kSplit>::pass_released(S& scope) {
  const std::uint32_t kept_now = kept();
  std::uint32_t i = scope.rank();
  while (i < kept_now && handle_.slot_references[slot_of(handle_, released_ + i)] == 0) {
    i += scope.size();
  }
  released_ += scope_min(scope, i < kept_now ? i : kept_now);
}

template <bool kSplit>
template <Scope S>
RS_DEVICE void ReceiveQueueOf<kSplit>::give_back(S& scope) {
  pass_released(scope);
  if (scope.rank() == 0) announce_receives(handle_, {received_, released_});
}

template <bool kSplit>
template <Scope S>
RS_DEVICE void ReceiveQueueOf<kSplit>::empty(S& scope, const RecoveryWords& words) {
  const std::uint64_t cq_offset = empty_receives(scope, handle_, received_ + handle_.cq_offset,
                                                 is_made_anew(words, kRecoverReceive));
  if (scope.rank() == 0) store_relaxed_system(&words.request->rx_cq_offset, cq_offset);
  handle_.cq_offset = scope.broadcast(cq_offset);
  received_ = released_ = 0;
}

template <bool kSplit>
template <Scope S>
RS_DEVICE void ReceiveQueueOf<kSplit>::refill(S& scope, const RecoveryWords&) const {
  if (scope.rank() == 0) announce_receives(handle_, {received_, released_});
}

}  // namespace ringside
