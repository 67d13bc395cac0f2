// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// How much memory a configuration takes, item by item: what the runtime and the engine allocate, by
// their own functions, and what EAL and the PMD take, as measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/pipeline/config.hpp"

namespace ringside::pipeline {

struct FootprintItem {
  enum class Where : std::uint8_t {
    kDevice,     ///< memory of a GPU
    kPinned,     ///< host memory that the GPU maps
    kHugepages,  ///< EAL's memory
  };
  Where where;
  std::uint16_t gpu;  ///< of kDevice, else 0
  std::string what;   ///< "packet buffers", "rings"
  std::uint64_t bytes;
  bool by_nic;  ///< the NIC reaches it too
};

struct Footprint {
  std::vector<FootprintItem> items;
  /// What a reload lays beside what kernels read until then.
  std::vector<FootprintItem> reload;

  /// Items that the NIC reaches.
  std::vector<FootprintItem> by_nic() const;
  /// Added to the item of that name, where there is one.
  void add(FootprintItem item);
};

std::uint64_t bytes_on(const std::vector<FootprintItem>& items, std::uint16_t gpu);
std::uint64_t bytes_in(const std::vector<FootprintItem>& items, FootprintItem::Where where);

/// Of a loaded configuration without errors.
Footprint footprint_of(const Config& config);
/// Without what stages and generators have; of a file with errors, too.
Footprint footprint_of_queues(const Config& config);

/// "packet buffers 4 MiB, rings 1 MiB": those of them that lie there, and on that GPU.
std::string items_text(const std::vector<FootprintItem>& items, FootprintItem::Where where,
                       std::uint16_t gpu);
/// As comment lines of a YAML file, one a kind of memory.
std::string footprint_comment(const Footprint& footprint);

/// "4 MiB", rounded up; less than one in KiB.
std::string bytes_text(std::uint64_t bytes);

}  // namespace ringside::pipeline
