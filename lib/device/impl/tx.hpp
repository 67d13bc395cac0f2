// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/tx.hpp
#pragma once

#include "lib/device/impl/look.hpp"
#include "lib/device/impl/tx_content.hpp"
#include "lib/device/impl/tx_wqe.hpp"
#include "lib/device/memory.hpp"
#include "lib/device/tx.hpp"

namespace ringside {

/// Takes in a CQE that is there and all before it, but for its error. false: it stops the queue.
RS_DEVICE bool take_completion(TxProgress& progress, std::uint8_t op_own,
                               std::uint16_t wqe_counter) {
  // The wire's 16 bits count on from what was completed before: fewer than 2^16 are in flight.
  progress.completed +=
      static_cast<std::uint16_t>(wqe_counter - static_cast<std::uint16_t>(progress.completed));
  // Send queues complete in order: what was before a failed WQE has been sent.
  progress.stopped = cqe_opcode(op_own) != CqeOpcode::kRequester;
  if (!progress.stopped) ++progress.completed;
  return !progress.stopped;
}

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
  RS_NOT_UNROLLED
  for (std::uint64_t index = progress.completed; index < posted_; ++index) {
    bytes += wqe_at(handle_, index)->data.byte_count.value();
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

template <Block B>
RS_DEVICE void TxQueue::look(B& block, TxProgress& seen) const {
  CqeTail(&tails)[kLooks] = block.template shared<Sights>().tails;
  const auto cqe = [&](std::uint32_t i) { return cqe_at(seen.cq_consumed + i); };
  ringside::look(block, kLooks, cqe, [&](std::uint32_t i, const CqeTail& tail) {
    tails[i] = tail;
    return true;
  });
  block.sync();
  // Meets the NIC's writes of the CQEs: it has read the WQEs and buffers that they complete.
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

RS_DEVICE bool TxQueue::take(TxProgress& progress, const CqeTail& next) const {
  if (progress.stopped ||
      !cqe_is_ready(next.op_own(), static_cast<std::uint32_t>(progress.cq_consumed),
                    handle_.log_cq_depth)) {
    return false;
  }
  ++progress.cq_consumed;
  if (!take_completion(progress, next.op_own(), next.wqe_counter())) progress.error = next.error();
  return true;
}

template <Block B, class Rx>
RS_DEVICE std::uint32_t TxQueue::retire(B& block, const TxProgress& progress, Rx& rx) {
  const std::uint64_t end = progress.stopped ? posted_ : progress.completed;
  // Some loads are under way together: one after the other, their latencies would add up.
  constexpr std::uint32_t kTogether = 4;
  RS_NOT_UNROLLED
  for (std::uint64_t index = completed_ + block.rank(); index < end;
       index += kTogether * block.size()) {
    std::uint32_t slots[kTogether];
    for (std::uint32_t i = 0; i < kTogether; ++i) {
      const std::uint64_t at = index + i * block.size();
      slots[i] = at < end ? handle_.wqe_slot[place(at)] : kNoSlot;
    }
    for (const std::uint32_t slot : slots) {
      if (slot != kNoSlot) rx.release(slot);
    }
  }
  const std::uint32_t sent = static_cast<std::uint32_t>(progress.completed - completed_);
  if (block.rank() == 0 && progress.cq_consumed != cq_consumed_) {
    handle_.state->completed = end;
    handle_.state->cq_consumed = progress.cq_consumed;
    give_send_cqes_back(handle_, progress.cq_consumed);
  }
  completed_ = end;
  cq_consumed_ = progress.cq_consumed;
  return sent;
}

RS_DEVICE void TxQueue::write(std::uint32_t i, std::uint64_t iova, std::uint32_t length,
                              std::uint32_t slot, bool completes, const TxOffload& offload) const {
  const std::uint64_t index = posted_ + i;
  write_wqe(handle_, index, {iova, length}, completes ? kCeAlways : kCeOnError, offload);
  handle_.wqe_slot[place(index)] = slot;
}

template <std::uint32_t kLanes>
RS_DEVICE void TxQueue::write_of_warp(bool sends, std::uint32_t i, const Packet& packet,
                                      bool completes) const {
  const std::uint64_t index = posted_ + i;
  const TxPacket content{packet.iova(), packet.length()};
  if (!write_sends_of_warp<kLanes>(handle_, sends, index, content, completes) && sends) {
    write_wqe(handle_, index, content, completes ? kCeAlways : kCeOnError);
  }
  if (sends) handle_.wqe_slot[place(index)] = packet.slot();
}

template <Block B, class PacketOf>
RS_DEVICE void TxQueue::write_all(B& block, std::uint32_t count, PacketOf packet_of) const {
  static_assert(send_blocks<PacketType<PacketOf>>(1) == 1);
  write_packets(block, handle_, TxBatch(posted_, count, TxNotify::last(), handle_.log_depth), count,
                packet_of);
  for (std::uint32_t i = block.rank(); i < count; i += block.size()) {
    handle_.wqe_slot[place(posted_ + i)] = kNoSlot;
  }
}

template <Block B>
RS_DEVICE void TxQueue::post(B& block, std::uint32_t count) {
  if (block.rank() == 0) announce(count);
  advance(count);
}

RS_DEVICE void TxQueue::announce(std::uint32_t count) const {
  announce_sends(handle_, posted_ + count);
  handle_.state->posted = posted_ + count;  // read when the kernel has ended
}

}  // namespace ringside
