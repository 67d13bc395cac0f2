// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// In which kind of memory an area lies, as far as order on PCIe goes. A NIC's writes stay in order
// on one path; those to a GPU and those to the machine's RAM take two.
//
// GPU of host threads (gpu_host): its memory is RAM, and counts as that, unless it is opaque. The
// CPU cannot reach opaque memory, which stands for a real GPU's own; what such a GPU shares with
// the CPU is a memfd whose name says so.
#pragma once

#include <cstdint>
#include <span>

#include "lib/softcx/nic/address_map.hpp"

namespace softcx {

struct MemoryHome {
  std::uint32_t gpu = 0;     ///< 0: the machine's RAM, else a number for each GPU
  bool kernels_see = false;  ///< a resident kernel may look at it while the NIC writes it

  friend bool operator==(const MemoryHome&, const MemoryHome&) = default;
};

/// Control path. Of the mappings that the application has of an area.
MemoryHome home_of(std::span<const MappedArea> areas);

/// Control path. Of the file behind a dma-buf, by how the application has it mapped.
MemoryHome home_of_file(int fd);

}  // namespace softcx
