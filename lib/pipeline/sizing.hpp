// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// How many buffers queues need, and how large.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/pipeline/config.hpp"

namespace ringside::pipeline {

/// A queue's use of a region.
struct RegionUse {
  enum class Part : std::uint8_t { kWhole, kHeaders, kData };
  const Interface* interface;
  const RxQueue* queue;
  Part part;
  std::string name;            ///< INTERFACE.QUEUE
  std::string interface_path;  ///< in the file
  std::string queue_path;
};

/// Of the region with that index.
std::vector<RegionUse> uses_of_region(const Config& config, std::size_t region);

/// Its packets go to memory that no kernel reads: a queue of the PMD, which cannot stand in one RSS
/// list with queues that are exported to kernels.
bool is_for_cpu(const Config& config, const RxQueue& queue);

bool has_rx_queues(const Config& config);

/// Bytes of each packet that a queue with two regions puts into the first one.
std::uint32_t header_bytes(const Config& config, const RxQueue& queue);
/// Bytes of the largest frame of an interface, FCS included.
std::uint32_t frame_bytes(const Interface& interface);
/// Buffers for one queue: half as many again as its ring holds, and room for two batches or for
/// frames of the kernel's own.
std::uint32_t buffers_for(const RegionUse& use);
/// Bytes of a buffer of a region, headroom included, for its part of a frame.
std::uint32_t buffer_bytes_for(const RegionUse& use, const Config& config);

/// What "auto" stands for.
std::uint32_t automatic_num_bufs(const Config& config, std::size_t region);
std::uint32_t automatic_buf_size(const Config& config, std::size_t region);

}  // namespace ringside::pipeline
