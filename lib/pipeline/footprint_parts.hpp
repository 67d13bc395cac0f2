// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Parts that footprints are made of.
#pragma once

#include "lib/gpu/align.hpp"
#include "lib/pipeline/footprint.hpp"
#include "lib/pipeline/plan.hpp"

namespace ringside::pipeline {

/// An allocation of a GPU's memory, and one of host memory for it.
constexpr std::uint64_t device_allocation(std::uint64_t bytes) noexcept {
  return round_up(bytes, std::uint64_t{kGpuPage});
}
constexpr std::uint64_t pinned_allocation(std::uint64_t bytes) noexcept {
  constexpr std::uint64_t kCpuPage = 4096;
  return round_up(bytes, kCpuPage);
}

/// Pools, rings, and words of the streams. `runtime`: its queues and streams are set.
void add_queues(const RuntimeConfig& runtime, Footprint& footprint);
/// What pipelines' kernels have. Throws usage_error as build_chain() does.
void add_stages(const Config& config, const RuntimeConfig& runtime, Footprint& footprint);
/// What generators' blocks have.
void add_generators(const Config& config, const Plan& plan, Footprint& footprint);

}  // namespace ringside::pipeline
