// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/rx_queue.hpp"

#include <cstddef>

namespace ringside::mlx5 {

namespace {

constexpr std::uint32_t kLogStride = 4;  // one scatter entry of 16 bytes

}  // namespace

std::size_t RxQueue::ring_bytes(std::uint32_t log_depth) noexcept {
  const std::size_t slot = sizeof(DataSegment) + sizeof(Cqe);
  const std::size_t pages = 2 * RingArena::kPage;  // ring and CQ start on pages
  const std::size_t lines = 4 * RingArena::kLine;  // records
  return (slot << log_depth) + pages + lines;
}

std::size_t RxQueue::kernel_bytes(std::uint32_t log_depth) noexcept {
  const std::size_t slot = sizeof(std::uint64_t) + sizeof(std::uint16_t);
  const std::size_t lines = 4 * RingArena::kLine;  // state, alignment of the arrays
  return (slot << log_depth) + lines;
}

RxQueue::RxQueue(const QueueDomain& domain, const QueueArenas& arenas, std::uint32_t log_depth,
                 const SlotBuffers& buffers, std::uint32_t q_counter)
    : buffers_(buffers),
      iova_(buffers.iova.begin(), buffers.iova.end()),
      log_depth_(log_depth),
      ring_(arenas.rings.take(sizeof(DataSegment) << log_depth, RingArena::kPage)),
      record_(arenas.rings.take(sizeof(DoorbellRecord), RingArena::kLine)),
      cq_ring_(arenas.rings.take(sizeof(Cqe) << log_depth, RingArena::kPage)),
      cq_record_(arenas.rings.take(sizeof(CqDoorbellRecord), RingArena::kLine)),
      state_(arenas.kernel.take(sizeof(RxQueueState), RingArena::kLine)),
      slot_iova_(arenas.kernel.take(sizeof(std::uint64_t) << log_depth, RingArena::kLine)),
      slot_references_(arenas.kernel.take(sizeof(std::uint16_t) << log_depth, RingArena::kLine)),
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
  buffers_.iova = iova_;
  slot_iova_.write_array(iova_);
  rq_.make_ready();
  post_all();
}

void RxQueue::post_all() {
  std::vector<DataSegment> ring;
  for (const std::uint64_t iova : iova_) {
    ring.push_back({Be32::of(buffers_.length), Be32::of(buffers_.lkey), Be64::of(iova)});
  }
  ring_.write_array(ring);
  // The NIC that sees the new counter (and reads it before the WQEs) sees the WQEs too.
  record_.write_word(offsetof(DoorbellRecord, receive_counter),
                     Be32::of((1U << log_depth_) & 0xffff).raw);
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
  cq_offset_ = cq_.skip_completions(state_.read<RxQueueState>().received + cq_offset_);
  state_.write(RxQueueState{});
  slot_references_.write_array(std::vector<std::uint16_t>(iova_.size()));
  // The device takes the record as the producer index from the moment that it is ready.
  record_.write_word(offsetof(DoorbellRecord, receive_counter), 0);
  rq_.make_ready();
  post_all();
}

}  // namespace ringside::mlx5
