// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Which GPU the parts of a file are of.
#pragma once

#include <cstdint>

#include "lib/pipeline/config.hpp"

namespace ringside::pipeline {

/// gpudev's id of the GPU of a region of kind device.
std::uint16_t gpu_of_region(const Config& config, const MemoryRegion& region);
/// Of the first of its queues' regions that is of kind device, or gpu.id: where its packets are
/// processed.
std::uint16_t gpu_of_interface(const Config& config, const Interface& interface);

}  // namespace ringside::pipeline
