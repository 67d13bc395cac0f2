// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/rx_queue.hpp"

#include <algorithm>
#include <atomic>

namespace ringside::mlx5 {

namespace {

constexpr std::uint32_t kLogStride = 4;  // one scatter entry of 16 bytes

}  // namespace

std::size_t RxQueue::ring_bytes(std::uint32_t log_depth) noexcept {
  const std::size_t slot =
      sizeof(DataSegment) + sizeof(Cqe) + sizeof(std::uint64_t) + sizeof(std::uint16_t);
  const std::size_t pages = 2 * RingArena::kPage;  // ring and CQ start on pages
  const std::size_t lines = 8 * RingArena::kLine;  // records, state, alignment of the arrays
  return (slot << log_depth) + pages + lines;
}

RxQueue::RxQueue(const QueueDomain& domain, RingArena& arena, std::uint32_t log_depth,
                 const SlotBuffers& buffers, std::uint32_t q_counter)
    : buffers_(buffers),
      log_depth_(log_depth),
      ring_(arena.take(sizeof(DataSegment) << log_depth, RingArena::kPage)),
      record_(arena.take(sizeof(DoorbellRecord), RingArena::kLine)),
      cq_ring_(arena.take(sizeof(Cqe) << log_depth, RingArena::kPage)),
      cq_record_(arena.take(sizeof(CqDoorbellRecord), RingArena::kLine)),
      state_(arena.take(sizeof(RxQueueState), RingArena::kLine)),
      slot_iova_(arena.take(sizeof(std::uint64_t) << log_depth, RingArena::kLine)),
      slot_references_(arena.take(sizeof(std::uint16_t) << log_depth, RingArena::kLine)),
      cq_(domain.context(), {.log_depth = log_depth,
                             .uar_page = domain.uar().page_id(),
                             .event_queue = domain.event_queue(),
                             .ring = cq_ring_,
                             .record = cq_record_}),
      rq_(domain.context(), {.wq = {.log_depth = log_depth,
                                    .log_stride = kLogStride,
                                    .pd = domain.pd(),
                                    .uar_page = 0,
                                    .ring = ring_,
                                    .record = record_},
                             .cq = cq_.number(),
                             .q_counter = q_counter,
                             .user_index = 0,
                             .timestamps = domain.capabilities().receive_timestamps}) {
  std::ranges::copy(buffers.iova, slot_iova_.host<std::uint64_t>());
  buffers_.iova = {slot_iova_.host<std::uint64_t>(), std::size_t{1} << log_depth};
  rq_.make_ready();
  post_all();
}

void RxQueue::post_all() noexcept {
  auto* wqe = ring_.host<DataSegment>();
  for (const std::uint64_t iova : buffers_.iova) {
    *wqe++ = {Be32::of(buffers_.length), Be32::of(buffers_.lkey), Be64::of(iova)};
  }
  // Release: the NIC that sees the new counter (and reads it before the WQEs) sees the WQEs too.
  const Be32 posted = Be32::of((1U << log_depth_) & 0xffff);
  std::atomic_ref(record_.host<DoorbellRecord>()->receive_counter.raw)
      .store(posted.raw, std::memory_order_release);
}

RxQueueHandle RxQueue::handle() const noexcept {
  return RxQueueHandle{
      .cqe = cq_.kernel_ring(),
      .cq_record = cq_.kernel_record(),
      .record = record_.kernel<DoorbellRecord>(),
      .slot_iova = slot_iova_.kernel<std::uint64_t>(),
      .view_offset = buffers_.view_offset,
      .slot_references = slot_references_.kernel<std::uint16_t>(),
      .state = state_.kernel<RxQueueState>(),
      .buffer_length = buffers_.length,
      .log_depth = log_depth_,
      .log_cq_depth = cq_.log_depth(),
      .rqn = rq_.number(),
      .cq_offset = cq_offset_,
  };
}

void RxQueue::recover() {
  rq_.reset();
  auto* state = state_.host<RxQueueState>();
  cq_offset_ = cq_.skip_completions(state->received + cq_offset_);
  *state = {};
  std::fill_n(slot_references_.host<std::uint16_t>(), std::size_t{1} << log_depth_, 0);
  // The device takes the record as the producer index from the moment that it is ready.
  record_.host<DoorbellRecord>()->receive_counter = Be32::of(0);
  rq_.make_ready();
  post_all();
}

}  // namespace ringside::mlx5
