// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/striding_queue.hpp
//
// The CQ has an entry for each stride, and a CQE takes one stride at least. So the CQE that
// overwrites another lies a whole ring of strides behind it, in a buffer that the NIC gets only
// after the other one's was given back: the CQ's consumer index may run ahead to all that was
// received, and what is kept can still be read.
//
// Buffers are used up one after the other, and each stride of them is some CQE's: a packet's, a
// filler's or an error's. So strides that were released tell whole buffers, as they do to DPDK's
// driver; a CQE's wqe_id need not hold more than the buffer's place in the ring.
#pragma once

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
  const std::uint32_t buffer = cqe->wqe_id.value() & ((1U << buffers_.log_buffers) - 1);
  const std::uint64_t first = std::uint64_t{cqe->wqe_counter.value()} << buffers_.log_stride_bytes;
  return {cqe, buffers_.iova[buffer] + first + buffers_.padding, handle().view_offset,
          slot(batch, i), byte_count(batch, i) & kCqeLengthMask};
}

template <Scope S>
RS_DEVICE std::uint64_t StridingReceiveQueue::strides_from(S& scope, std::uint64_t first) const {
  std::uint64_t strides[1] = {0};
  for (std::uint64_t n = first + scope.rank(); n < state().released; n += scope.size()) {
    strides[0] += strides_of(cqe_at(handle(), n)->byte_count.value());
  }
  scope_sum(scope, strides);
  return strides[0];
}

template <Scope S>
RS_DEVICE void StridingReceiveQueue::give_back(S& scope) {
  const std::uint64_t released_before = state().released;
  pass_released(scope);
  const std::uint64_t strides = strides_from(scope, released_before);
  if (scope.rank() != 0) return;
  buffers_.state->released += strides;
  announce();
}

RS_DEVICE void StridingReceiveQueue::announce() const {
  *handle().state = state();
  write_receive_records(handle(), state().received,
                        buffers_.state->released >> buffers_.log_strides, buffers_.log_buffers);
}

template <Scope S>
RS_DEVICE void StridingReceiveQueue::empty(S& scope, RecoveryRequest* request) {
  ReceiveQueue::empty(scope, request);
  if (scope.rank() == 0) *buffers_.state = RxQueueState{};
}

template <Scope S>
RS_DEVICE void StridingReceiveQueue::refill(S& scope) const {
  if (scope.rank() == 0) announce();
}

}  // namespace ringside
