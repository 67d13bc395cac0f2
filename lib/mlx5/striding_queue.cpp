// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/striding_queue.hpp"

#include <cstddef>

#include "lib/base/error.hpp"

namespace ringside::mlx5 {

namespace {

std::uint32_t in_range(const char* what, std::uint32_t log, std::uint32_t least,
                       std::uint32_t most) {
  if (log >= least && log <= most) return log;
  throw Error(fmt::format("a striding receive queue with 2^{} {}", log, what),
              fmt::format("use 2^{} to 2^{}", least, most));
}

StridingQueueConfig checked(const QueueDomain& domain, StridingQueueConfig config) {
  const Capabilities& can = domain.capabilities();
  if (!can.strides) {
    throw Error(fmt::format("the device at {} has no striding receive queues",
                            domain.context().pci_address()),
                "use a receive queue of a buffer for each packet");
  }
  const auto& [log_buffers, strides] = config.shape;
  in_range("bytes a stride", strides.log_bytes, can.strides->min_log_bytes,
           can.strides->max_log_bytes);
  in_range("strides a buffer", strides.log_count, can.strides->min_log_count,
           can.strides->max_log_count);
  in_range("bytes a buffer", strides.log_count + strides.log_bytes, can.strides->min_log_buffer,
           can.strides->max_log_count + can.strides->max_log_bytes);
  const std::uint64_t completions = std::uint64_t{1} << config.shape.log_cq_depth();
  const std::uint64_t buffers = std::uint64_t{1} << log_buffers;
  if (log_buffers == 0 || buffers > can.max_ring_entries ||
      completions > can.max_completion_entries) {
    throw Error(fmt::format("a striding receive queue of 2^{} buffers of 2^{} strides", log_buffers,
                            strides.log_count),
                fmt::format("use 2 to {} buffers, and {} strides at most in all",
                            can.max_ring_entries, can.max_completion_entries));
  }
  if (config.buffers.iova.size() != buffers ||
      config.buffers.length < config.shape.buffer_length()) {
    throw Error(fmt::format("{} buffers of {} bytes for a striding receive queue",
                            config.buffers.iova.size(), config.buffers.length),
                fmt::format("give it {} of {} bytes", buffers, config.shape.buffer_length()));
  }
  return config;
}

}  // namespace

std::size_t StridingQueue::ring_bytes(const StridingShape& shape) noexcept {
  const std::size_t pages = 2 * RingArena::kPage;  // ring and CQ start on pages
  const std::size_t lines = 4 * RingArena::kLine;  // records
  return (sizeof(StridingWqe) << shape.log_buffers) + (sizeof(Cqe) << shape.log_cq_depth()) +
         pages + lines;
}

std::size_t StridingQueue::kernel_bytes(const StridingShape& shape) noexcept {
  const std::size_t lines = 6 * RingArena::kLine;  // two states, alignment of the arrays
  return (sizeof(std::uint16_t) << shape.log_cq_depth()) +
         (sizeof(std::uint64_t) << shape.log_buffers) + lines;
}

StridingQueue::StridingQueue(const QueueDomain& domain, const QueueArenas& arenas,
                             const StridingQueueConfig& config)
    : config_(checked(domain, config)),
      iova_(config.buffers.iova.begin(), config.buffers.iova.end()),
      ring_(arenas.rings.take(sizeof(StridingWqe) << log_buffers(), RingArena::kPage)),
      record_(arenas.rings.take(sizeof(DoorbellRecord), RingArena::kLine)),
      cq_ring_(arenas.rings.take(sizeof(Cqe) << config.shape.log_cq_depth(), RingArena::kPage)),
      cq_record_(arenas.rings.take(sizeof(CqDoorbellRecord), RingArena::kLine)),
      state_(arenas.kernel.take(sizeof(RxQueueState), RingArena::kLine)),
      buffers_state_(arenas.kernel.take(sizeof(RxQueueState), RingArena::kLine)),
      cqe_references_(arenas.kernel.take(sizeof(std::uint16_t) << config.shape.log_cq_depth(),
                                         RingArena::kLine)),
      addresses_(arenas.kernel.take(sizeof(std::uint64_t) << log_buffers(), RingArena::kLine)),
      cq_(domain.context(), {.log_depth = config.shape.log_cq_depth(),
                             .uar_page = domain.uar().page_id(),
                             .event_queue = domain.event_queue(),
                             .ring = cq_ring_,
                             .record = cq_record_}),
      rq_(domain.context(), {.wq = {.log_depth = log_buffers(),
                                    .log_stride = kLogStridingWqe,
                                    .pd = domain.pd(),
                                    .uar_page = 0,
                                    .ring = ring_,
                                    .record = record_},
                             .cq = cq_.number(),
                             .q_counter = config.q_counter,
                             .strip_vlan = config.strip_vlan,
                             .user_index = 0,
                             .timestamps = domain.capabilities().receive_timestamps,
                             .strides = config.shape.strides}) {
  config_.buffers.iova = iova_;
  addresses_.write_array(iova_);
  rq_.make_ready();
  post_all();
}

void StridingQueue::post_all() {
  std::vector<StridingWqe> ring;
  for (const std::uint64_t iova : iova_) {
    // No longer than its strides: hardware has them all for its own.
    ring.push_back({{},
                    {Be32::of(config_.shape.buffer_length()), Be32::of(config_.buffers.lkey),
                     Be64::of(iova)}});
  }
  ring_.write_array(ring);
  // The NIC that sees the new counter (and reads it before the WQEs) sees the WQEs too.
  record_.write_word(offsetof(DoorbellRecord, receive_counter),
                     Be32::of((1U << log_buffers()) & 0xffff).raw);
}

StridingQueueHandle StridingQueue::handle() const noexcept {
  const StridingShape& shape = config_.shape;
  return {.completions = {.cqe = cq_.kernel_ring(),
                          .cq_record = cq_.kernel_record(),
                          .record = record_.kernel<DoorbellRecord>(),
                          .slot_iova = nullptr,
                          .view_offset = config_.buffers.view_offset,
                          .slot_references = cqe_references_.kernel<std::uint16_t>(),
                          .state = state_.kernel<RxQueueState>(),
                          .buffer_length = shape.buffer_length(),
                          .log_depth = cq_.log_depth(),
                          .log_cq_depth = cq_.log_depth(),
                          .rqn = rq_.number(),
                          .cq_offset = cq_offset_,
                          .payload_iova = nullptr,
                          .payload_view_offset = 0},
          .buffer_iova = addresses_.kernel<std::uint64_t>(),
          .buffers = buffers_state_.kernel<RxQueueState>(),
          .log_buffers = shape.log_buffers,
          .log_strides = shape.strides.log_count,
          .log_stride_bytes = shape.strides.log_bytes,
          .padding = shape.strides.padded ? kStrideShift : 0};
}

void StridingQueue::recover() {
  rq_.reset();
  cq_offset_ = cq_.skip_completions(state_.read<RxQueueState>().received + cq_offset_);
  state_.write(RxQueueState{});
  buffers_state_.write(RxQueueState{});
  cqe_references_.write_array(std::vector<std::uint16_t>(std::size_t{1} << cq_.log_depth()));
  // The device takes the record as the producer index from the moment that it is ready.
  record_.write_word(offsetof(DoorbellRecord, receive_counter), 0);
  rq_.make_ready();
  post_all();
}

}  // namespace ringside::mlx5
