// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A GPU and the packets that lie with it.
#pragma once

#include "lib/gpu/gpu_device.hpp"
#include "lib/gpu/gpu_pool.hpp"

namespace ringside {

struct GpuHome {
  GpuDevice& gpu;
  GpuPool& pool;
  GpuPool* headers;  ///< where they are split from data, else nullptr
};

}  // namespace ringside
