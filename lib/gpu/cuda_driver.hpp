// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// gpu_cuda: the gpudev driver of NVIDIA GPUs. Takes any NVIDIA display device on the PCI bus (-a
// BDF), or --vdev=gpu_cuda0,ordinal=N where the PCI bus cannot be seen.
#pragma once

#include <memory>

#include "lib/gpu/cuda_memory.hpp"

namespace ringside {

inline constexpr char kCudaDriverName[] = "gpu_cuda";

/// nullptr: the device is not one of gpu_cuda's.
std::shared_ptr<CudaMemory> cuda_memory_of(const char* gpudev_name);

/// Says that `action` on `address` was refused because it would wait for the kernel to end.
void log_cuda_freed_while_running(const char* device, const char* action,
                                  const void* address) noexcept;

}  // namespace ringside
