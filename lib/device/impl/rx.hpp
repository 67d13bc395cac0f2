// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/rx.hpp
#pragma once

#include "lib/device/memory.hpp"
#include "lib/device/rx.hpp"

namespace ringside {

/// Does an error CQE stop a receive queue? Any other syndrome is about one packet.
RS_DEVICE constexpr bool stops_receive_queue(std::uint8_t syndrome) {
  switch (static_cast<CqeSyndrome>(syndrome)) {
    case CqeSyndrome::kLocalQpOperation:
    case CqeSyndrome::kLocalProtection:
    case CqeSyndrome::kWorkRequestFlushed:
      return true;
    default:
      return false;
  }
}

RS_DEVICE RxQueue::RxQueue(const RxQueueHandle& handle)
    : handle_(handle), received_(handle.state->received), released_(handle.state->released) {}

RS_DEVICE std::uint32_t RxQueue::cq_index(std::uint64_t index) const {
  return static_cast<std::uint32_t>(index + handle_.cq_offset);
}

RS_DEVICE const Cqe* RxQueue::cqe_at(std::uint64_t index) const {
  return handle_.cqe + (cq_index(index) & ((1U << handle_.log_cq_depth) - 1));
}

RS_DEVICE std::uint32_t RxQueue::slot_of(std::uint64_t index) const {
  return static_cast<std::uint32_t>(index) & ((1U << handle_.log_depth) - 1);
}

RS_DEVICE bool RxQueue::ready() const {
  return cqe_is_ready(load_acquire_system(&cqe_at(received_)->op_own), cq_index(received_),
                      handle_.log_cq_depth);
}

template <Block B>
RS_DEVICE RxBatch RxQueue::receive(B& block, std::uint32_t max) {
  std::uint32_t i = block.rank();
  bool stopped = false;
  for (; i < max; i += block.size()) {
    const std::uint64_t index = received_ + i;
    const Cqe* cqe = cqe_at(index);
    // Meets the NIC's write of the CQE, which comes after that of the packet: once op_own is seen,
    // so are the rest of the CQE and the packet, by this thread, and past the barrier by all.
    const std::uint8_t op_own = load_acquire_system(&cqe->op_own);
    if (!cqe_is_ready(op_own, cq_index(index), handle_.log_cq_depth)) break;
    const CqeOpcode opcode = cqe_opcode(op_own);
    // An opcode that a receive queue does not have says that the ring is not what we think.
    stopped = opcode != CqeOpcode::kResponderSend &&
              (opcode != CqeOpcode::kResponderError || stops_receive_queue(error_syndrome(*cqe)));
    if (stopped) break;
  }
  // The threads agree on the prefix and on what ends it in one go: no two have the same i below
  // max, so the smallest key is that of the first CQE that cannot be taken.
  const std::uint32_t key = block.min(i < max ? 2 * i + (stopped ? 0U : 1U) : 2 * max + 1);
  const RxBatch batch{received_, key >> 1, (key & 1U) == 0};
  received_ += batch.count;
  return batch;
}

RS_DEVICE Packet RxQueue::take(const RxBatch& batch, std::uint32_t i) {
  handle_.slot_references[slot_of(batch.first + i)] = 1;
  return packet(batch, i);
}

RS_DEVICE bool RxQueue::is_packet(const RxBatch& batch, std::uint32_t i) const {
  return cqe_opcode(cqe_at(batch.first + i)->op_own) == CqeOpcode::kResponderSend;
}

RS_DEVICE Packet RxQueue::packet(const RxBatch& batch, std::uint32_t i) const {
  const std::uint32_t slot = slot_of(batch.first + i);
  return {cqe_at(batch.first + i), handle_.slot_iova[slot], handle_.view_offset, slot};
}

RS_DEVICE QueueError RxQueue::stop_error(const RxBatch& batch) const {
  return queue_error(*cqe_at(batch.first + batch.count));
}

RS_DEVICE void RxQueue::release(std::uint32_t slot) {
  --handle_.slot_references[slot];
}

template <Block B>
RS_DEVICE void RxQueue::give_back(B& block) {
  const std::uint32_t held = static_cast<std::uint32_t>(received_ - released_);
  released_ += block_prefix(block, held, [this](std::uint32_t i) {
    return handle_.slot_references[slot_of(released_ + i)] == 0;
  });
  if (block.rank() != 0) return;
  handle_.state->received = received_;
  handle_.state->released = released_;
  // The completion queue's record first: a slot that the NIC has back may complete at once, and the
  // completion queue must have room for it by then, or it overruns. Release: the NIC overwrites
  // CQEs and buffers only after all that this block did to them.
  store_release_system(&handle_.cq_record->consumer_index.raw,
                       Be32::of(cq_index(received_) & 0xffffffU).raw);
  store_release_system(
      &handle_.record->receive_counter.raw,
      Be32::of((static_cast<std::uint32_t>(released_) + (1U << handle_.log_depth)) & 0xffffU).raw);
}

}  // namespace ringside
