// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/striding_queue.hpp
#pragma once

#include "lib/device/impl/strides.hpp"
#include "lib/device/striding_queue.hpp"

namespace ringside {

RS_DEVICE StridingReceiveQueue::StridingReceiveQueue(const StridingQueueHandle& handle)
    : ReceiveQueue(handle.completions), buffers_(handle.buffers) {}

RS_DEVICE std::uint32_t StridingReceiveQueue::byte_count(const RxBatch& batch,
                                                         std::uint32_t i) const {
  return cqe_at(handle(), batch.first + i)->byte_count.value();
}

RS_DEVICE bool StridingReceiveQueue::is_packet(const RxBatch& batch, std::uint32_t i) const {
  return ReceiveQueue::is_packet(batch, i) && (byte_count(batch, i) & kCqeFiller) == 0;
}

RS_DEVICE bool StridingReceiveQueue::is_filler(const RxBatch& batch, std::uint32_t i) const {
  return ReceiveQueue::is_packet(batch, i) && (byte_count(batch, i) & kCqeFiller) != 0;
}

RS_DEVICE Packet StridingReceiveQueue::packet(const RxBatch& batch, std::uint32_t i) const {
  const Cqe* const cqe = cqe_at(handle(), batch.first + i);
  return {cqe, strided_iova(buffers_, *cqe, cqe->wqe_counter.value()), handle().view_offset,
          slot(batch, i), byte_count(batch, i) & kCqeLengthMask};
}

template <Scope S>
RS_DEVICE void StridingReceiveQueue::give_back(S& scope) {
  const std::uint64_t released_before = state().released;
  pass_released(scope);
  std::uint32_t strides[1] = {strides_share(scope, handle(), released_before, state().released)};
  scope_sum(scope, strides);
  if (scope.rank() != 0) return;
  *buffers_.released += strides[0];
  announce_buffers(handle(), buffers_, state());
}

template <Scope S>
RS_DEVICE void StridingReceiveQueue::empty(S& scope, const RecoveryWords& words) {
  ReceiveQueue::empty(scope, words);
  if (scope.rank() == 0) *buffers_.released = 0;
}

template <Scope S>
RS_DEVICE void StridingReceiveQueue::refill(S& scope, const RecoveryWords&) const {
  if (scope.rank() == 0) announce_buffers(handle(), buffers_, state());
}

}  // namespace ringside
