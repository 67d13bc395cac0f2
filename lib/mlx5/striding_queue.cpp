// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/striding_queue.hpp"

#include <span>
#include <vector>

#include "lib/base/error.hpp"

namespace ringside::mlx5 {

namespace {

std::uint32_t in_range(const char* what, std::uint32_t log, std::uint32_t least,
                       std::uint32_t most) {
  if (log >= least && log <= most) return log;
  throw Error(fmt::format("a striding receive queue with 2^{} {}", log, what),
              fmt::format("use 2^{} to 2^{}", least, most));
}

ReceiveRingShape ring_of(const StridingShape& shape) {
  return {.log_depth = shape.log_buffers,
          .log_stride = kLogStridingWqe,
          .log_cq_depth = shape.log_cq_depth(),
          .strides = shape.strides};
}

ReceiveRingShape checked(const QueueDomain& domain, const StridingQueueConfig& config) {
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
  return ring_of(config.shape);
}

std::vector<std::uint8_t> wqes_of(const StridingQueueConfig& config) {
  std::vector<StridingWqe> wqes;
  for (const std::uint64_t iova : config.buffers.iova) {
    // No longer than its strides: hardware has them all for its own.
    wqes.push_back(
        {{},
         {Be32::of(config.shape.buffer_length()), Be32::of(config.buffers.lkey), Be64::of(iova)}});
  }
  return as_bytes(wqes);
}

}  // namespace

std::size_t StridingQueue::ring_bytes(const StridingShape& shape) noexcept {
  return ReceiveRing::ring_bytes(ring_of(shape));
}

std::size_t StridingQueue::kernel_bytes(const StridingShape& shape) noexcept {
  return ReceiveRing::kernel_bytes(ring_of(shape)) + (sizeof(std::uint64_t) << shape.log_buffers) +
         RingArena::kLine;
}

StridingQueue::StridingQueue(const QueueDomain& domain, const QueueArenas& arenas,
                             const StridingQueueConfig& config)
    : ReceiveRing(domain, arenas, checked(domain, config), config.q_counter, config.strip_vlan) {
  const std::span<const std::uint64_t> iova = config.buffers.iova;
  const RingMemory addresses = arenas.kernel.take(iova.size_bytes(), RingArena::kLine);
  addresses.write_array(std::vector(iova.begin(), iova.end()));
  buffer_iova_ = addresses.kernel<std::uint64_t>();
  open(wqes_of(config), {.slot_iova = nullptr,
                         .view_offset = config.buffers.view_offset,
                         .buffer_length = config.shape.buffer_length(),
                         .payload_iova = nullptr,
                         .payload_view_offset = 0});
}

StridingQueueHandle StridingQueue::handle() const noexcept {
  const RqStrides& strides = *shape().strides;
  return {.completions = ReceiveRing::handle(),
          .buffers = {.iova = buffer_iova_,
                      .released = kernel_strides_released(),
                      .log_buffers = shape().log_depth,
                      .log_strides = strides.log_count,
                      .log_stride_bytes = strides.log_bytes,
                      .padding = strides.padded ? kStrideShift : 0}};
}

}  // namespace ringside::mlx5
