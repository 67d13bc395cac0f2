// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The GpuDevice that is an NVIDIA GPU.
#pragma once

#include <memory>

#include "lib/gpu/gpu_device.hpp"

namespace ringside {

/// nullptr: the device is not one of gpu_cuda's. `info.driver` need not be filled in. Loads all
/// kernels: a module loaded later would wait for those that run.
std::unique_ptr<GpuDevice> open_cuda_gpu(const GpuInfo& info);

}  // namespace ringside
