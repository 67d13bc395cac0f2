// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A packet mempool whose buffers are in GPU memory. The same pool feeds queues of a PMD and
// exported rings. Closing it undoes in reverse what opening it did; it must be full then.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/dpdk/external_memory.hpp"
#include "lib/dpdk/mempool.hpp"
#include "lib/gpu/gpu_device.hpp"

namespace ringside {

/// kPinned: host memory that the GPU reaches over PCIe.
enum class PacketMemory { kDevice, kPinned };

class GpuPool {
 public:
  /// EAL keeps a record a page, so pages are large; the GPU memory is aligned to them.
  static constexpr std::size_t kPageSize = std::size_t{2} << 20;
  /// Buffers start on a line of the GPU's L2 cache, which is two lines of a CPU's.
  static constexpr std::uint16_t kElementAlignment = 128;

  /// Of GPU memory, for so many buffers; throws usage_error for a size that none can have.
  static std::size_t bytes_for(std::uint32_t mbufs, std::uint16_t mbuf_size);

  /// Throws Error. `device` must outlive the pool.
  GpuPool(GpuDevice& device, const MempoolConfig& config,
          PacketMemory where = PacketMemory::kDevice);

  /// For queues of a PMD: lets the NIC's driver use the memory until the NIC is unplugged, which is
  /// before the pool goes (ExternalMemory::map_for). nullopt on success; else why not.
  /// Exported rings register memory() themselves and work without.
  std::optional<std::string> map_for(rte_device* nic) { return external_.map_for(nic); }

  const GpuMemory& memory() const noexcept { return memory_; }
  rte_mempool* mempool() const noexcept { return mempool_.get(); }
  std::uint32_t size() const noexcept { return mempool_.size(); }

  /// See Mempool.
  std::vector<rte_mbuf*> take(std::size_t count) { return mempool_.take(count); }
  void give_back(std::span<rte_mbuf* const> mbufs) noexcept { mempool_.give_back(mbufs); }
  bool full() const noexcept { return mempool_.full(); }

 private:
  // In the order of set-up, which destructors undo in reverse.
  GpuMemory memory_;
  ExternalMemory external_;
  Mempool mempool_;
};

}  // namespace ringside
