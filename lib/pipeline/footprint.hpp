// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// About how much memory a configuration takes, item by item.
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
  std::uint16_t gpu;  ///< of kDevice
  std::string what;   ///< "buffers of data", "rings"
  std::uint64_t bytes;
};

struct Footprint {
  std::vector<FootprintItem> items;

  std::uint64_t of_gpu(std::uint16_t id) const;
  std::uint64_t of(FootprintItem::Where where) const;
};
Footprint footprint_of(const Config& config);

/// "buffers of data 4 MiB, rings 1 MiB": what of it lies there, and on that GPU.
std::string items_text(const Footprint& footprint, FootprintItem::Where where, std::uint16_t gpu);
/// As comment lines of a YAML file, one a kind of memory.
std::string footprint_comment(const Footprint& footprint);

/// "4 MiB", rounded up; less than one in KiB.
std::string bytes_text(std::uint64_t bytes);

}  // namespace ringside::pipeline
