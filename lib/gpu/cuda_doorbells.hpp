// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Doorbell pages (UARs) of NICs that GPUs write. CUDA takes a page once a process, for all GPUs
// (PORTABLE): queues of one page may be those of several GPUs.
#pragma once

#include <cstdint>
#include <memory>

#include "lib/gpu/cuda_memory.hpp"
#include "lib/gpu/gpu_device.hpp"

namespace ringside {

class CudaDoorbells {
 public:
  /// As device memory (IoMemory) where the page is one, plainly where it is ordinary memory, as
  /// under softcx. Throws Error, with the remedy where the driver forbids it. Thread-safe.
  static DoorbellView map(const std::shared_ptr<CudaMemory>& memory, std::uint64_t* doorbell);
  static void unmap(std::uint64_t* doorbell) noexcept;
};

}  // namespace ringside
