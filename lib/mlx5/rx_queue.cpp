// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/rx_queue.hpp"

#include <bit>
#include <vector>

#include "lib/base/error.hpp"

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

ReceiveRingShape shape_of(std::uint32_t log_depth, std::size_t parts) {
  return {.log_depth = log_depth, .log_stride = log_stride(parts), .log_cq_depth = log_depth};
}

std::vector<std::uint8_t> wqes_of(std::span<const SlotBuffers> parts, std::size_t slots) {
  std::vector<DataSegment> entries;
  for (std::size_t slot = 0; slot < slots; ++slot) {
    for (const SlotBuffers& part : parts) {
      entries.push_back({Be32::of(part.length), Be32::of(part.lkey), Be64::of(part.iova[slot])});
    }
    for (std::size_t i = parts.size(); i < scatter_entries(parts.size()); ++i) {
      entries.push_back({Be32::of(0), Be32::of(kInvalidLkey), Be64::of(0)});
    }
  }
  return as_bytes(entries);
}

/// A part of all slots, for kernels.
const std::uint64_t* addresses(const QueueArenas& arenas, const SlotBuffers& part) {
  const RingMemory memory = arenas.kernel.take(part.iova.size_bytes(), RingArena::kLine);
  memory.write_array(std::vector(part.iova.begin(), part.iova.end()));
  return memory.kernel<std::uint64_t>();
}

}  // namespace

std::size_t RxQueue::ring_bytes(std::uint32_t log_depth, std::size_t parts) noexcept {
  return ReceiveRing::ring_bytes(shape_of(log_depth, parts));
}

std::size_t RxQueue::kernel_bytes(std::uint32_t log_depth, std::size_t parts) noexcept {
  const std::size_t part = (sizeof(std::uint64_t) << log_depth) + RingArena::kLine;
  return ReceiveRing::kernel_bytes(shape_of(log_depth, parts)) + parts * part;
}

RxQueue::RxQueue(const QueueDomain& domain, const QueueArenas& arenas, const RxQueueConfig& config)
    : ReceiveRing(domain, arenas, shape_of(config.log_depth, parts_of(config.parts)),
                  config.q_counter, config.strip_vlan) {
  const std::size_t slots = std::size_t{1} << config.log_depth;
  for (const SlotBuffers& buffers : config.parts) {
    if (buffers.iova.size() == slots) continue;
    throw Error(
        fmt::format("{} buffers for a receive queue of {} slots", buffers.iova.size(), slots),
        "give each slot one of each part");
  }
  const SlotBuffers& first = config.parts.front();
  const SlotBuffers* const second = config.parts.size() > 1 ? &config.parts.back() : nullptr;
  open(wqes_of(config.parts, slots),
       {.slot_iova = addresses(arenas, first),
        .view_offset = first.view_offset,
        .buffer_length = first.length,
        .payload_iova = second == nullptr ? nullptr : addresses(arenas, *second),
        .payload_view_offset = second == nullptr ? 0 : second->view_offset});
}

}  // namespace ringside::mlx5
