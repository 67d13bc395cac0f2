// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/strided.hpp
#pragma once

#include "lib/device/impl/rx_cqe.hpp"
#include "lib/device/impl/strides.hpp"
#include "lib/device/strided.hpp"

namespace ringside {

RS_DEVICE std::uint64_t StridePlaces::iova(std::uint64_t, const Cqe* cqe,
                                           const CqeTail& tail) const {
  return strided_iova(buffers_, *cqe, tail.wqe_counter());
}

RS_DEVICE bool StridedRxQueue::is_packet(const RxBatch& batch, std::uint32_t i) const {
  return RxQueueOf::is_packet(batch, i) && (entry(i).length & kCqeFiller) == 0;
}

RS_DEVICE bool StridedRxQueue::is_filler(const RxBatch& batch, std::uint32_t i) const {
  return RxQueueOf::is_packet(batch, i) && (entry(i).length & kCqeFiller) != 0;
}

RS_DEVICE Packet StridedRxQueue::packet(const RxBatch& batch, std::uint32_t i) const {
  const RxEntries::Entry seen = entry(i);
  return {cqe_at(handle(), batch.first + i), seen.iova, handle().view_offset,
          slot_of(handle(), batch.first + i), seen.length & kCqeLengthMask};
}

RS_DEVICE Packet StridedRxQueue::take(const RxBatch& batch, std::uint32_t i) {
  hold(batch, i);
  return packet(batch, i);
}

RS_DEVICE std::uint32_t StridedRxQueue::strides_upto(const Cqe* cqe) const {
  const std::uint32_t mask = (1U << (buffers_.log_buffers + buffers_.log_strides)) - 1;
  const std::uint32_t end = (place_in_ring(buffers_, *cqe) << buffers_.log_strides) +
                            cqe->wqe_counter.value() + strides_of(cqe->byte_count.value());
  const auto begin = static_cast<std::uint32_t>(*buffers_.released);
  return ((end - begin - 1) & mask) + 1;  // all of them, not none
}

RS_DEVICE std::uint32_t StridedRxQueue::kept() const {
  const RxQueueState now = state();
  if (now.received == now.released) return 0;
  return strides_upto(cqe_at(handle(), now.received - 1));
}

RS_DEVICE bool StridedRxQueue::is_enough(std::uint32_t i) const {
  if (ready(i)) return true;
  // CQEs come in order: the last that is there lies between one that is and one that is not.
  std::uint32_t there = 0;
  std::uint32_t not_there = i;
  if (!ready(there)) return false;
  while (not_there - there > 1) {
    const std::uint32_t middle = (there + not_there) / 2;
    (ready(middle) ? there : not_there) = middle;
  }
  const std::uint32_t all = 1U << (buffers_.log_buffers + buffers_.log_strides);
  return strides_upto(cqe_at(handle(), state().received + there)) >= all / 2;
}

template <Block B>
RS_DEVICE void StridedRxQueue::give_back(B& block) {
  const std::uint64_t released_before = state().released;
  pass_released(block);
  std::uint32_t strides[1] = {strides_share(block, handle(), released_before, state().released)};
  block.sum(strides);
  if (block.rank() != 0) return;
  // A barrier lies behind what was released, and of a packet that was sent the acquire of its
  // send's CQE before that: the NIC has read it. So the record's release is behind all that the
  // block and the NIC had to do with the strides, and the NIC writes to them behind that.
  *buffers_.released += strides[0];
  announce_buffers(handle(), buffers_, state());
}

}  // namespace ringside
