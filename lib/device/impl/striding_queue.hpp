// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/striding_queue.hpp
//
// The CQ has an entry for each stride, and a CQE takes one stride at least. So the CQE that
// overwrites another lies a whole ring of strides behind it, in a buffer that the NIC gets only
// after the other one's was given back: the CQ's consumer index may run ahead to all that was
// received, and what is kept can still be read.
#pragma once

#include "lib/device/striding_queue.hpp"

namespace ringside {

RS_DEVICE StridingReceiveQueue::StridingReceiveQueue(const StridingQueueHandle& handle)
    : ReceiveQueue(handle.completions),
      buffer_iova_(handle.buffer_iova),
      buffers_(handle.buffers),
      log_buffers_(handle.log_buffers),
      log_strides_(handle.log_strides),
      log_stride_bytes_(handle.log_stride_bytes),
      padding_(handle.padding) {}

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
  const std::uint32_t buffer = cqe->wqe_id.value() & ((1U << log_buffers_) - 1);
  const std::uint64_t first = std::uint64_t{cqe->wqe_counter.value()} << log_stride_bytes_;
  return {cqe, buffer_iova_[buffer] + first + padding_, handle().view_offset, slot(batch, i),
          byte_count(batch, i) & kCqeLengthMask};
}

RS_DEVICE std::uint32_t StridingReceiveQueue::buffers_done(std::uint64_t returned) const {
  // Buffers are used up one after the other: all before that of the first CQE that is kept.
  const RxQueueState now = state();
  const bool none_kept = now.released == now.received;
  const Cqe* const cqe = cqe_at(handle(), none_kept ? now.received - 1 : now.released);
  // Where none is, the last one may have used up its own too. An error CQE does not say where its
  // strides begin; the CQE after it will tell.
  const bool used_up =
      none_kept && cqe_opcode(cqe->op_own) == CqeOpcode::kResponderSend &&
      cqe->wqe_counter.value() + strides_of(cqe->byte_count.value()) == 1U << log_strides_;
  const std::uint32_t until = cqe->wqe_id.value() + (used_up ? 1U : 0U);
  return (until - static_cast<std::uint32_t>(returned)) & 0xffffU;
}

template <Scope S>
RS_DEVICE void StridingReceiveQueue::give_back(S& scope) {
  const std::uint64_t released_before = state().released;
  pass_released(scope);
  if (scope.rank() != 0) return;
  std::uint64_t returned = buffers_->released;
  // With nothing new, what the last CQE said is done already, and its place may have been reused.
  if (state().released != released_before) returned += buffers_done(returned);
  announce(returned);
}

RS_DEVICE void StridingReceiveQueue::announce(std::uint64_t returned) const {
  *handle().state = state();
  RxQueueHandle buffers = handle();
  buffers.state = buffers_;
  buffers.log_depth = log_buffers_;
  announce_receives(buffers, {state().received, returned});
}

template <Scope S>
RS_DEVICE void StridingReceiveQueue::empty(S& scope, RecoveryRequest* request) {
  ReceiveQueue::empty(scope, request);
  if (scope.rank() == 0) *buffers_ = RxQueueState{};
}

template <Scope S>
RS_DEVICE void StridingReceiveQueue::refill(S& scope) const {
  if (scope.rank() == 0) announce(0);
}

}  // namespace ringside
