// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/rx.hpp
#pragma once

#include "lib/device/impl/look.hpp"
#include "lib/device/impl/rx_cqe.hpp"
#include "lib/device/memory.hpp"
#include "lib/device/rx.hpp"

namespace ringside {

template <class Places>
template <Block B>
RS_DEVICE RxQueueOf<Places>::RxQueueOf(B& block, const Handle& handle)
    : Places(handle),
      handle_(Places::slots_of(handle)),
      entries_(block.template shared<RxEntries>()),
      received_(handle_.state->received),
      released_(handle_.state->released) {}

template <class Places>
RS_DEVICE bool RxQueueOf<Places>::ready(std::uint32_t i) const {
  const std::uint64_t index = received_ + i;
  return cqe_is_ready(handle_, index, load_acquire_system(&cqe_at(handle_, index)->op_own));
}

template <class Places>
RS_DEVICE typename RxQueueOf<Places>::Sight RxQueueOf<Places>::see(std::uint32_t i,
                                                                   const CqeTail& tail,
                                                                   std::uint64_t known) {
  if (!cqe_is_ready(handle_, received_ + i, tail.op_own())) return Sight::kNothing;
  const CqeOpcode opcode = cqe_opcode(tail.op_own());
  // An opcode that a receive queue does not have says that the ring is not what we think.
  if (opcode != CqeOpcode::kResponderSend &&
      (opcode != CqeOpcode::kResponderError || stops_receive_queue(tail.error().syndrome))) {
    return Sight::kStopped;
  }
  note(i, tail, known);
  return Sight::kTaken;
}

template <class Places>
RS_DEVICE void RxQueueOf<Places>::note(std::uint32_t i, const CqeTail& tail, std::uint64_t known) {
  own_index_ = i;
  own_ = {Places::iova(known, cqe_at(handle_, received_ + i), tail), tail.length(),
          cqe_opcode(tail.op_own())};
  entries_.entry[i] = own_;
}

template <class Places>
RS_DEVICE std::uint64_t RxQueueOf<Places>::known_of(std::uint32_t i) const {
  return Places::before_cqe(handle_, slot_of(handle_, received_ + i));
}

template <class Places>
template <Block B>
RS_DEVICE RxBatch RxQueueOf<Places>::receive(B& block, std::uint32_t max) {
  return take_batch<false>(block, max);
}

template <class Places>
template <Block B>
RS_DEVICE RxBatch RxQueueOf<Places>::await(B& block, std::uint32_t max) {
  return take_batch<true>(block, max);
}

template <class Places>
template <bool kWaits, Block B>
RS_DEVICE RxBatch RxQueueOf<Places>::take_batch(B& block, std::uint32_t max) {
  const std::uint32_t limit = look_limit(block) < kMaxBatch ? look_limit(block) : kMaxBatch;
  if (max > limit) max = limit;
  std::uint32_t key = 2 * max + 1;
  own_index_ = kNone;
  std::uint64_t known = 0;
  const auto cqe = [&](std::uint32_t i) {
    known = known_of(i);
    return cqe_at(handle_, received_ + i);
  };
  const auto note = [&](std::uint32_t i, const CqeTail& tail) {
    // Meets the NIC's write of the CQE, which comes after that of the packet.
    const Sight sight = see(i, tail, known);
    if (sight == Sight::kTaken) return true;
    key = 2 * i + (sight == Sight::kStopped ? 0U : 1U);
    return false;
  };
  if constexpr (kWaits) {
    look(block, max, cqe, note, [this](std::uint32_t i, std::uint8_t op_own) {
      return cqe_is_ready(handle_, received_ + i, op_own);
    });
  } else {
    look(block, max, cqe, note);
  }
  // The threads agree on the prefix and on what ends it in one go: no two looks have the same i
  // below max, so the smallest key is that of the first CQE that cannot be taken.
  key = block.min(key);
  const RxBatch batch{received_, key >> 1, (key & 1U) == 0};
  received_ += batch.count;
  return batch;
}

template <class Places>
template <Block B>
RS_DEVICE RxBatch RxQueueOf<Places>::await_one(B& block, std::uint32_t width, bool& follows) {
  own_index_ = kNone;
  const std::uint32_t i = block.rank() / B::kLookThreads;
  const bool looks = i < width;
  const std::uint64_t known = i == 0 ? known_of(0) : 0;
  const Cqe* const cqe = looks ? cqe_at(handle_, received_ + i) : nullptr;
  CqeTail tail;
  bool knows = false;
  RS_NOT_UNROLLED
  for (std::uint32_t n = 0; n < B::kAwaitLooks; ++n) {
    knows = block.look(cqe, tail);
    // One vote, and nothing else, between a packet that is there and what is done with it.
    const bool packet = knows && cqe_is_ready(handle_, received_ + i, tail.op_own()) &&
                        cqe_opcode(tail.op_own()) == CqeOpcode::kResponderSend;
    if (!block.any(packet && i == 0)) continue;
    if (packet && i == 0) note(0, tail, known);
    follows = packet && i != 0;
    return {received_++, 1, false};
  }
  const Sight sight = knows && i == 0 ? see(0, tail, known) : Sight::kNothing;
  const RxBatch batch{received_, block.any(sight == Sight::kTaken),
                      block.any(sight == Sight::kStopped)};
  received_ += batch.count;
  return batch;
}

template <class Places>
RS_DEVICE void RxQueueOf<Places>::join(const RxQueueState& state) {
  received_ = state.received;
  released_ = state.released;
}

template <class Places>
RS_DEVICE void RxQueueOf<Places>::begin_again(std::uint64_t cq_offset) {
  handle_.cq_offset = cq_offset;
  received_ = released_ = 0;
}

template <class Places>
RS_DEVICE Packet RxQueueOf<Places>::take(const RxBatch& batch, std::uint32_t i) {
  hold(batch, i);
  return packet(batch, i);
}

template <class Places>
RS_DEVICE void RxQueueOf<Places>::hold(const RxBatch& batch, std::uint32_t i) {
  handle_.slot_references[slot_of(handle_, batch.first + i)] = 1;
}

template <class Places>
RS_DEVICE bool RxQueueOf<Places>::is_packet(const RxBatch&, std::uint32_t i) const {
  return entry(i).opcode == CqeOpcode::kResponderSend;
}

template <class Places>
RS_DEVICE Packet RxQueueOf<Places>::packet(const RxBatch& batch, std::uint32_t i) const {
  const RxEntries::Entry seen = entry(i);
  return {cqe_at(handle_, batch.first + i), seen.iova, handle_.view_offset,
          slot_of(handle_, batch.first + i), seen.length};
}

template <class Places>
RS_DEVICE QueueError RxQueueOf<Places>::stop_error(const RxBatch& batch) const {
  return stop_error_of(handle_, batch);
}

template <class Places>
RS_DEVICE void RxQueueOf<Places>::release(std::uint32_t slot) {
  handle_.slot_references[slot] = 0;
}

template <class Places>
template <Block B>
RS_DEVICE void RxQueueOf<Places>::pass_released(B& block) {
  released_ += block_prefix(block, kept(), [this](std::uint32_t i) {
    return handle_.slot_references[slot_of(handle_, released_ + i)] == 0;
  });
}

template <class Places>
template <Block B>
RS_DEVICE void RxQueueOf<Places>::give_back(B& block) {
  pass_released(block);
  if (block.rank() == 0) announce_receives(handle_, {received_, released_});
}

}  // namespace ringside
