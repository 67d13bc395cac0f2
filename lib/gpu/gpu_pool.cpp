// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/gpu_pool.hpp"

#include <rte_common.h>
#include <rte_eal.h>

#include <limits>

#include "lib/base/error.hpp"
#include "lib/gpu/align.hpp"

namespace ringside {
namespace {

std::uint16_t element_size(std::uint16_t mbuf_size) {
  constexpr std::uint32_t kAlignment = GpuPool::kElementAlignment;
  const std::uint32_t size = round_up(std::uint32_t{mbuf_size}, kAlignment);
  if (size == 0 || size > std::numeric_limits<std::uint16_t>::max()) {
    throw usage_error(fmt::format("mbufs of {} bytes cannot be in GPU memory", mbuf_size),
                      fmt::format("choose --mbuf-size from 1 to {}", 0x10000U - kAlignment));
  }
  return static_cast<std::uint16_t>(size);
}

GpuMemory allocate(GpuDevice& device, const MempoolConfig& config, PacketMemory where) {
  const std::size_t size = GpuPool::bytes_for(config.mbufs, config.mbuf_size);
  return where == PacketMemory::kDevice ? device.allocate(size, GpuPool::kPageSize)
                                        : device.allocate_shared(size, GpuPool::kPageSize);
}

Mempool::Area area_of(const GpuMemory& memory) {
  // With physical addresses EAL cannot know where GPU memory is; mlx5 uses virtual ones anyway.
  const std::uint64_t iova = rte_eal_iova_mode() == RTE_IOVA_VA
                                 ? reinterpret_cast<std::uintptr_t>(memory.data())
                                 : RTE_BAD_IOVA;
  return {memory.data(), iova, memory.size()};
}

}  // namespace

std::size_t GpuPool::bytes_for(std::uint32_t mbufs, std::uint16_t mbuf_size) {
  return round_up(std::size_t{mbufs} * element_size(mbuf_size), kPageSize);
}

GpuPool::GpuPool(GpuDevice& device, const MempoolConfig& config, PacketMemory where)
    : memory_(allocate(device, config, where)),
      external_(memory_.data(), memory_.size(), kPageSize),
      mempool_(config, area_of(memory_), element_size(config.mbuf_size)) {}

}  // namespace ringside
