// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The GpuDevice made of host threads.
#pragma once

#include <memory>

#include "lib/gpu/gpu_device.hpp"

namespace ringside {

/// nullptr: the device is not one of gpu_host's. `info.driver` need not be filled in.
std::unique_ptr<GpuDevice> open_host_gpu(const GpuInfo& info);

}  // namespace ringside
