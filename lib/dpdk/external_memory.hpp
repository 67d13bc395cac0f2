// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Memory that EAL did not allocate (a GPU's), made known to EAL for as long as the object lives,
// and to devices for DMA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

struct rte_device;

namespace ringside {

class ExternalMemory {
 public:
  ExternalMemory() = default;
  /// rte_extmem_register. `data` and `size` are multiples of `page_size`, a power of two. Large
  /// pages: EAL and PMDs keep a record for each, and sort them at every change. Throws Error.
  ExternalMemory(void* data, std::size_t size, std::size_t page_size);
  ExternalMemory(ExternalMemory&& other) noexcept;
  ExternalMemory& operator=(ExternalMemory&& other) noexcept;
  /// Undoes the registration. The devices that the memory is mapped for have been unplugged.
  ~ExternalMemory();

  /// rte_dev_dma_map with iova = address. nullopt: `device` may now access the memory. Otherwise
  /// why not, in words: an NVIDIA GPU needs nvidia-peermem for it, and whoever drives the device's
  /// queues itself does not need it at all. The mapping ends when `device` is unplugged, never by
  /// rte_dev_dma_unmap: mlx5's, of DPDK 22.11 to 26.07, frees its note of the mapping under the
  /// lock of its cache, and where that gives a page of EAL's back, the PMD's callback for freed
  /// memory waits for that lock for ever. Unplugging frees the notes under no lock.
  std::optional<std::string> map_for(rte_device* device);

 private:
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  std::vector<rte_device*> mapped_;
};

}  // namespace ringside
