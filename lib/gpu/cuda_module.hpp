// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The packet programs as the GPU runs them.
#pragma once

#include <cuda.h>

#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "lib/gpu/cuda_memory.hpp"
#include "lib/gpu/kernel_source.hpp"

namespace ringside {

struct UserKernel;  // kernels/registry.hpp

/// What a packet program is run on: kernels/cuda_kernels.cu.
enum class CudaEntry { kForward, kRunBurst, kServeBursts };

class CudaModule {
 public:
  /// Loads the machine code that was built in. Throws Error where it has none for this GPU.
  explicit CudaModule(std::shared_ptr<CudaMemory> memory);
  ~CudaModule();
  CudaModule(const CudaModule&) = delete;
  CudaModule& operator=(const CudaModule&) = delete;

  /// GpuDevice::add_kernel()
  void add(const UserKernel& kernel);
  bool add(const KernelSource& source, std::string& why_not);

  /// Throws usage_error for an unknown name (lists the known ones), and for one that does not run
  /// on bursts where it is to.
  CUfunction kernel(const std::string& name, CudaEntry entry = CudaEntry::kForward) const;

 private:
  const std::shared_ptr<CudaMemory> memory_;
  CUmodule module_ = nullptr;
  std::map<std::string, std::array<CUfunction, 3>> kernels_;  ///< [CudaEntry]
  /// By their entry.
  std::map<std::string, std::pair<CUmodule, CUfunction>> added_;
};

}  // namespace ringside
