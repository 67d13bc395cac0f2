// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/rx_queue.hpp"

#include <bit>
#include <cstddef>

#include "lib/base/error.hpp"
#include "lib/mlx5/nic_time.hpp"

namespace ringside::mlx5 {

namespace {

/// A WQE is a list of scatter entries, and a power of two of bytes: what it has too many of, an
/// invalid key ends.
std::size_t scatter_entries(std::size_t parts) {
  return std::bit_ceil(parts);
}

std::uint32_t log_stride(std::size_t parts) {
  return static_cast<std::uint32_t>(std::countr_zero(scatter_entries(parts) * sizeof(DataSegment)));
}

std::size_t parts_of(std::span<const SlotBuffers> parts) {
  if (parts.empty() || parts.size() > kMaxSlotParts) {
    throw Error(fmt::format("a receive queue with {} buffers a slot", parts.size()),
                fmt::format("use 1 to {}", kMaxSlotParts));
  }
  return parts.size();
}

}  // namespace

std::size_t RxQueue::ring_bytes(std::uint32_t log_depth, std::size_t parts) noexcept {
  const std::size_t slot = scatter_entries(parts) * sizeof(DataSegment) + sizeof(Cqe);
  const std::size_t pages = 2 * RingArena::kPage;  // ring and CQ start on pages
  const std::size_t lines = 4 * RingArena::kLine;  // records
  return (slot << log_depth) + pages + lines;
}

std::size_t RxQueue::kernel_bytes(std::uint32_t log_depth, std::size_t parts) noexcept {
  const std::size_t slot = parts * sizeof(std::uint64_t) + sizeof(std::uint16_t);
  const std::size_t lines = (3 + parts) * RingArena::kLine;  // state, alignment of the arrays
  return (slot << log_depth) + lines;
}

RxQueue::Part::Part(const QueueArenas& arenas, const SlotBuffers& buffers)
    : iova(buffers.iova.begin(), buffers.iova.end()),
      length(buffers.length),
      lkey(buffers.lkey),
      view_offset(buffers.view_offset),
      addresses(arenas.kernel.take(buffers.iova.size_bytes(), RingArena::kLine)) {
  addresses.write_array(iova);
}

RxQueue::RxQueue(const QueueDomain& domain, const QueueArenas& arenas, const RxQueueConfig& config)
    : log_depth_(config.log_depth),
      stamp_to_ns_(mlx5::stamp_to_ns(domain.capabilities().receive_timestamps,
                                     domain.capabilities().clock_khz)),
      ring_(arenas.rings.take(scatter_entries(parts_of(config.parts)) * sizeof(DataSegment)
                                  << log_depth_,
                              RingArena::kPage)),
      record_(arenas.rings.take(sizeof(DoorbellRecord), RingArena::kLine)),
      cq_ring_(arenas.rings.take(sizeof(Cqe) << log_depth_, RingArena::kPage)),
      cq_record_(arenas.rings.take(sizeof(CqDoorbellRecord), RingArena::kLine)),
      state_(arenas.kernel.take(sizeof(RxQueueState), RingArena::kLine)),
      slot_references_(arenas.kernel.take(sizeof(std::uint16_t) << log_depth_, RingArena::kLine)),
      cq_(domain.context(), {.log_depth = log_depth_,
                             .uar_page = domain.uar().page_id(),
                             .event_queue = domain.event_queue(),
                             .ring = cq_ring_,
                             .record = cq_record_}),
      rq_(domain.context(), {.wq = {.log_depth = log_depth_,
                                    .log_stride = log_stride(config.parts.size()),
                                    .pd = domain.pd(),
                                    .uar_page = 0,
                                    .ring = ring_,
                                    .record = record_},
                             .cq = cq_.number(),
                             .q_counter = config.q_counter,
                             .strip_vlan = config.strip_vlan,
                             .user_index = 0,
                             .timestamps = domain.capabilities().receive_timestamps}) {
  for (const SlotBuffers& buffers : config.parts) {
    const std::size_t slots = std::size_t{1} << log_depth_;
    if (buffers.iova.size() != slots) {
      throw Error(
          fmt::format("{} buffers for a receive queue of {} slots", buffers.iova.size(), slots),
          "give each slot one of each part");
    }
    parts_.emplace_back(arenas, buffers);
  }
  rq_.make_ready();
  post_all();
}

void RxQueue::post_all() {
  std::vector<DataSegment> ring;
  for (std::size_t slot = 0; slot < std::size_t{1} << log_depth_; ++slot) {
    for (const Part& part : parts_) {
      ring.push_back({Be32::of(part.length), Be32::of(part.lkey), Be64::of(part.iova[slot])});
    }
    for (std::size_t i = parts_.size(); i < scatter_entries(parts_.size()); ++i) {
      ring.push_back({Be32::of(0), Be32::of(kInvalidLkey), Be64::of(0)});
    }
  }
  ring_.write_array(ring);
  // The NIC that sees the new counter (and reads it before the WQEs) sees the WQEs too.
  record_.write_word(offsetof(DoorbellRecord, receive_counter),
                     Be32::of((1U << log_depth_) & 0xffff).raw);
}

RxQueueHandle RxQueue::handle() const noexcept {
  const Part& first = parts_.front();
  const bool split = parts_.size() > 1;
  return RxQueueHandle{
      .cqe = cq_.kernel_ring(),
      .cq_record = cq_.kernel_record(),
      .record = record_.kernel<DoorbellRecord>(),
      .slot_iova = first.addresses.kernel<std::uint64_t>(),
      .view_offset = first.view_offset,
      .slot_references = slot_references_.kernel<std::uint16_t>(),
      .state = state_.kernel<RxQueueState>(),
      .buffer_length = first.length,
      .log_depth = log_depth_,
      .log_cq_depth = cq_.log_depth(),
      .rqn = rq_.number(),
      .cq_offset = cq_offset_,
      .payload_iova = split ? parts_.back().addresses.kernel<std::uint64_t>() : nullptr,
      .payload_view_offset = split ? parts_.back().view_offset : 0,
  };
}

void RxQueue::recover() {
  rq_.reset();
  cq_offset_ = cq_.skip_completions(state_.read<RxQueueState>().received + cq_offset_);
  state_.write(RxQueueState{});
  slot_references_.write_array(std::vector<std::uint16_t>(std::size_t{1} << log_depth_));
  // The device takes the record as the producer index from the moment that it is ready.
  record_.write_word(offsetof(DoorbellRecord, receive_counter), 0);
  rq_.make_ready();
  post_all();
}

}  // namespace ringside::mlx5
