// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The kernels that gpu_turnaround_bench compares.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "lib/device/stream.hpp"

namespace ringside::bench {

enum class Work { kIo, kMacSwap };

/// The persistent kernel, as it is launched in production. Ends with the exit word.
cudaError_t launch_forward(Work work, const StreamArgs* stream, std::uint32_t threads);

/// The least that a turn-around can be: one warp that polls one CQE with one coalesced read, writes
/// one WQE, and tells the NIC by record and doorbell with the fences that production has. No
/// completions, no counters, no order among threads. Ends with an error CQE.
cudaError_t launch_bare(Work work, const StreamArgs* stream);

}  // namespace ringside::bench
