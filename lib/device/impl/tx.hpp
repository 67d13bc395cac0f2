// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/tx.hpp
#pragma once

#include <cstddef>
#include <cstring>

#include "lib/device/impl/look.hpp"
#include "lib/device/memory.hpp"
#include "lib/device/tx.hpp"

namespace ringside {

RS_DEVICE TxQueue::TxQueue(const TxQueueHandle& handle)
    : handle_(handle),
      posted_(handle.state->posted),
      completed_(handle.state->completed),
      cq_consumed_(handle.state->cq_consumed) {}

RS_DEVICE std::uint32_t TxQueue::in_flight() const {
  return static_cast<std::uint32_t>(posted_ - completed_);
}

RS_DEVICE std::uint32_t TxQueue::room() const {
  return (1U << handle_.log_depth) - in_flight();
}

RS_DEVICE std::uint64_t TxQueue::bytes_lost(const TxProgress& progress) const {
  std::uint64_t bytes = 0;
  for (std::uint64_t index = progress.completed; index < posted_; ++index) {
    bytes += handle_.wqe[place(index)].data.byte_count.value();
  }
  return bytes;
}

RS_DEVICE std::uint32_t TxQueue::place(std::uint64_t index) const {
  return static_cast<std::uint32_t>(index) & ((1U << handle_.log_depth) - 1);
}

RS_DEVICE const Cqe* TxQueue::cqe_at(std::uint64_t index) const {
  return handle_.cqe + (index & ((std::uint64_t{1} << handle_.log_cq_depth) - 1));
}

RS_DEVICE bool TxQueue::ready() const {
  return cqe_is_ready(load_acquire_system(&cqe_at(cq_consumed_)->op_own),
                      static_cast<std::uint32_t>(cq_consumed_), handle_.log_cq_depth);
}

RS_DEVICE TxProgress TxQueue::look() const {
  TxProgress seen = progress();
  // There is at most one CQE a WQE in flight, so this ends.
  while (true) {
    const Cqe* const cqe = cqe_at(seen.cq_consumed);
    // Meets the NIC's write of the CQE: the NIC has read the WQEs and buffers it completes.
    if (!take(seen, CqeInPlace{cqe, load_acquire_system(&cqe->op_own)})) return seen;
  }
}

template <Block B>
RS_DEVICE void TxQueue::look(B& block, TxProgress& seen) const {
  CqeTail(&tails)[kLooks] = block.template shared<Sights>().tails;
  const auto cqe = [&](std::uint32_t i) { return cqe_at(seen.cq_consumed + i); };
  ringside::look(block, kLooks, cqe, [&](std::uint32_t i, const CqeTail& tail) {
    tails[i] = tail;
    return true;
  });
  block.sync();
  for (const CqeTail& tail : tails) {
    if (!take(seen, tail)) break;
  }
  block.sync();  // before the next look writes them again
}

RS_DEVICE void TxQueue::join(const TxQueueState& state) {
  posted_ = state.posted;
  completed_ = state.completed;
  cq_consumed_ = state.cq_consumed;
}

template <class Tail>
RS_DEVICE bool TxQueue::take(TxProgress& progress, const Tail& next) const {
  if (progress.stopped ||
      !cqe_is_ready(next.op_own(), static_cast<std::uint32_t>(progress.cq_consumed),
                    handle_.log_cq_depth)) {
    return false;
  }
  ++progress.cq_consumed;
  // The wire's 16 bits count on from what was completed before: fewer than 2^16 are in flight.
  progress.completed += static_cast<std::uint16_t>(next.wqe_counter() -
                                                   static_cast<std::uint16_t>(progress.completed));
  if (cqe_opcode(next.op_own()) == CqeOpcode::kRequester) {
    ++progress.completed;
  } else {
    // Send queues complete in order: what was before the failed WQE has been sent.
    progress.stopped = true;
    progress.error = next.error();
  }
  return true;
}

template <Block B, class Rx>
RS_DEVICE std::uint32_t TxQueue::retire(B& block, const TxProgress& progress, Rx& rx) {
  const std::uint64_t end = progress.stopped ? posted_ : progress.completed;
  for (std::uint64_t index = completed_ + block.rank(); index < end; index += block.size()) {
    const std::uint32_t slot = handle_.wqe_slot[place(index)];
    if (slot != kNoSlot) rx.release(slot);
  }
  const std::uint32_t sent = static_cast<std::uint32_t>(progress.completed - completed_);
  if (block.rank() == 0 && progress.cq_consumed != cq_consumed_) {
    handle_.state->completed = end;
    handle_.state->cq_consumed = progress.cq_consumed;
    // The NIC must know of it before it sees WQEs in the room that these CQEs made, so that those
    // of the WQEs have room too: post() releases both to it. The CQEs have been acquired.
    store_relaxed_system(
        &handle_.cq_record->consumer_index.raw,
        Be32::of(static_cast<std::uint32_t>(progress.cq_consumed) & 0xffffffU).raw);
  }
  completed_ = end;
  cq_consumed_ = progress.cq_consumed;
  return sent;
}

RS_DEVICE void TxQueue::write(std::uint32_t i, std::uint64_t iova, std::uint32_t length,
                              std::uint32_t slot, bool completes) const {
  const std::uint32_t index = static_cast<std::uint32_t>(posted_) + i;
  // As words: a GPU would copy the format's packed structs byte by byte.
  static_assert(offsetof(ControlSegment, fm_ce_se) == 11 && offsetof(SendWqe, data) == 32);
  const std::uint32_t words[kSendWqeSegments][kWqeSegment / sizeof(std::uint32_t)] = {
      {Be32::of(opmod_idx_opcode(index, WqeOpcode::kSend)).raw,
       Be32::of(qpn_ds(handle_.sqn, kSendWqeSegments)).raw,
       std::uint32_t{completes ? kCeAlways : kCeOnError} << 24, 0},
      {},
      {Be32::of(length).raw, Be32::of(handle_.lkey).raw,
       Be32::of(static_cast<std::uint32_t>(iova >> 32)).raw,
       Be32::of(static_cast<std::uint32_t>(iova)).raw}};
  store_segments(handle_.wqe + place(index), words);
  handle_.wqe_slot[place(index)] = slot;
}

template <Block B>
RS_DEVICE void TxQueue::post(B& block, std::uint32_t count) {
  posted_ += count;
  if (block.rank() != 0) return;
  const std::uint32_t last = static_cast<std::uint32_t>(posted_ - 1);
  handle_.state->posted = posted_;
  // The record first, released, so that whoever sees it sees the WQEs; then the doorbell, which
  // makes the NIC look (PRM, "Posting a Work Request to Work Queue"). Its value is made here and
  // not read from the ring, which may be a PCIe round trip away.
  store_release_system(&handle_.record->send_counter.raw,
                       Be32::of(static_cast<std::uint32_t>(posted_) & 0xffffU).raw);
  const Be32 control[2] = {Be32::of(opmod_idx_opcode(last, WqeOpcode::kSend)),
                           Be32::of(qpn_ds(handle_.sqn, kSendWqeSegments))};
  std::uint64_t doorbell;
  memcpy(&doorbell, control, sizeof(doorbell));
  ring_doorbell(handle_.doorbell, doorbell);
}

}  // namespace ringside
