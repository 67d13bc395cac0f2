// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/receive_ring.hpp"

#include <utility>

#include "lib/mlx5/nic_time.hpp"

namespace ringside::mlx5 {

std::size_t ReceiveRing::ring_bytes(const ReceiveRingShape& shape) noexcept {
  const std::size_t pages = 2 * RingArena::kPage;  // ring and CQ start on pages
  const std::size_t lines = 4 * RingArena::kLine;  // records
  return (std::size_t{1} << (shape.log_depth + shape.log_stride)) +
         (sizeof(Cqe) << shape.log_cq_depth) + pages + lines;
}

std::size_t ReceiveRing::kernel_bytes(const ReceiveRingShape& shape) noexcept {
  const std::size_t lines = 3 * RingArena::kLine;  // states, alignment of the array
  return (sizeof(std::uint16_t) << shape.log_cq_depth) + lines;
}

ReceiveRing::ReceiveRing(const QueueDomain& domain, const QueueArenas& arenas,
                         const ReceiveRingShape& shape, std::uint32_t q_counter, bool strip_vlan)
    : domain_(domain),
      shape_(shape),
      q_counter_(q_counter),
      strip_vlan_(strip_vlan),
      stamp_to_ns_(mlx5::stamp_to_ns(domain.capabilities().receive_timestamps,
                                     domain.capabilities().clock_khz)),
      ring_(arenas.rings.take(std::size_t{1} << (shape.log_depth + shape.log_stride),
                              RingArena::kPage)),
      record_(arenas.rings.take(sizeof(DoorbellRecord), RingArena::kLine)),
      cq_ring_(arenas.rings.take(sizeof(Cqe) * slots(), RingArena::kPage)),
      cq_record_(arenas.rings.take(sizeof(CqDoorbellRecord), RingArena::kLine)),
      state_(arenas.kernel.take(state_bytes(), RingArena::kLine)),
      slot_references_(arenas.kernel.take(sizeof(std::uint16_t) * slots(), RingArena::kLine)),
      cq_(make_cq(EmptiedBy::kCpu)),
      rq_(make_rq(cq_)) {}

Cq ReceiveRing::make_cq(EmptiedBy emptied_by) const {
  return domain_.make_cq(shape_.log_cq_depth, cq_ring_, cq_record_, emptied_by);
}

Rq ReceiveRing::make_rq(const Cq& cq) const {
  return {domain_.context(),
          {.wq = {.log_depth = shape_.log_depth,
                  .log_stride = shape_.log_stride,
                  .pd = domain_.pd(),
                  .uar_page = 0,
                  .ring = ring_,
                  .record = record_},
           .cq = cq.number(),
           .q_counter = q_counter_,
           .strip_vlan = strip_vlan_,
           .user_index = 0,
           .timestamps = domain_.capabilities().receive_timestamps,
           .strides = shape_.strides}};
}

void ReceiveRing::open(std::vector<std::uint8_t> wqes, const Buffers& buffers) {
  wqes_ = std::move(wqes);
  buffers_ = buffers;
  start(rq_);
}

void ReceiveRing::start(Rq& rq) const {
  rq.make_ready();
  ring_.write_array(wqes_);
  // The NIC that sees the new counter (and reads it before the WQEs) sees the WQEs too.
  record_.write_word(offsetof(DoorbellRecord, receive_counter),
                     Be32::of((1U << shape_.log_depth) & 0xffff).raw);
}

RxQueueHandle ReceiveRing::handle() const noexcept {
  return RxQueueHandle{
      .cqe = cq_.kernel_ring(),
      .cq_record = cq_.kernel_record(),
      .record = record_.kernel<DoorbellRecord>(),
      .slot_iova = buffers_.slot_iova,
      .view_offset = buffers_.view_offset,
      .slot_references = slot_references_.kernel<std::uint16_t>(),
      .state = state_.kernel<RxQueueState>(),
      .buffer_length = buffers_.buffer_length,
      .log_depth = shape_.log_cq_depth,
      .log_cq_depth = cq_.log_depth(),
      .rqn = rq_.number(),
      .cq_offset = cq_offset_,
      .payload_iova = buffers_.payload_iova,
      .payload_view_offset = buffers_.payload_view_offset,
  };
}

void ReceiveRing::empty() {
  state_.write_array(std::vector<std::uint8_t>(state_bytes()));
  slot_references_.write_array(std::vector<std::uint16_t>(slots()));
  // The device takes the record as the producer index from the moment that it is ready.
  record_.write_word(offsetof(DoorbellRecord, receive_counter), 0);
}

void ReceiveRing::recover() {
  rq_.reset();
  cq_offset_ = cq_.skip_completions(state_.read<RxQueueState>().received + cq_offset_);
  empty();
  start(rq_);
}

ReceiveRing::Former ReceiveRing::renew(EmptiedBy emptied_by) {
  if (emptied_by == EmptiedBy::kCpu) {
    rq_.reset();
    empty();
  }
  Cq cq = make_cq(emptied_by);
  Rq rq = make_rq(cq);
  if (emptied_by == EmptiedBy::kCpu) {
    start(rq);
  } else {
    rq.make_ready();
  }
  cq_offset_ = 0;
  return {std::exchange(cq_, std::move(cq)), std::exchange(rq_, std::move(rq))};
}

void ReceiveRing::take_back(Former former) noexcept {
  rq_ = std::move(former.rq);  // first: the one that it replaces names the completion queue
  cq_ = std::move(former.cq);
}

}  // namespace ringside::mlx5
