// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/gpus.hpp"

namespace ringside::pipeline {

std::uint16_t gpu_of_region(const Config& config, const MemoryRegion& region) {
  return region.affinity.value_or(config.gpu.id);
}

std::uint16_t gpu_of_interface(const Config& config, const Interface& interface) {
  for (const RxQueue& queue : interface.rx.queues) {
    for (const Reference& reference : queue.memory_regions) {
      if (reference.index >= config.memory_regions.size()) continue;  // unresolved
      const MemoryRegion& region = config.memory_regions[reference.index];
      if (region.kind == MemoryRegion::Kind::kDevice) return gpu_of_region(config, region);
    }
  }
  return config.gpu.id;
}

}  // namespace ringside::pipeline
