// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A persistent kernel on an NVIDIA GPU: one thread block a stream.
#pragma once

#include <cuda.h>

#include <memory>
#include <string>
#include <vector>

#include "lib/gpu/cuda_memory.hpp"
#include "lib/gpu/gpu_device.hpp"

namespace ringside {

class CudaKernelRun final : public PersistentKernel {
 public:
  /// Throws usage_error unless a multiple of 32 up to kCudaBlockThreads.
  static void check_block_threads(std::uint32_t threads);

  /// Starts at once. Throws Error: more blocks than can be resident together.
  CudaKernelRun(CUfunction kernel, const LaunchConfig& config, GpuDevice& device,
                std::shared_ptr<CudaMemory> memory);
  /// Stops the kernel. If it does not end, what it uses cannot be freed: then it says so and
  /// terminates the program.
  ~CudaKernelRun() override;

  void request_stop() noexcept override;
  void join(Deadline deadline) override;
  bool running() const noexcept override;

 private:
  /// CUDA_ERROR_NOT_READY while it runs; an error if the kernel faulted.
  CUresult state() const noexcept;
  /// Until it has ended; false: the deadline came first.
  bool wait(Deadline deadline) noexcept;

  const std::string kernel_name_;
  const std::string device_name_;
  const std::shared_ptr<CudaMemory> memory_;
  const std::vector<StreamArgs> streams_;
  GpuMemory arguments_;         ///< pinned; each block copies its own when it starts
  std::size_t processors_ = 0;  ///< that its blocks keep
  CUstream stream_ = nullptr;
  bool ended_ = false;
  CUresult result_ = CUDA_SUCCESS;  ///< once it has ended
};

}  // namespace ringside
