// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The memory of one CUDA device that gpudev hands out, and its primary context.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace ringside {

/// Errors are negative errno values, as gpudev drivers return them. Thread-safe.
class CudaMemory {
 public:
  /// Of cudaMalloc's: what dma-bufs and nvidia_peermem pin.
  static constexpr std::size_t kPageSize = std::size_t{64} << 10;
  /// What waits for resident kernels to end.
  static constexpr const char* kFreeCall = "cuMemFree";
  static constexpr const char* kUnregisterCall = "cuMemHostUnregister";

  /// Retains the device's primary context. Throws Error.
  explicit CudaMemory(CUdevice device);
  ~CudaMemory();
  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;

  CUdevice device() const noexcept { return device_; }
  CUcontext context() const noexcept { return context_; }

  /// Zeroed, with SYNC_MEMOPS, so that what the NIC writes is not passed by copies on the GPU.
  int allocate(std::size_t size, std::size_t alignment, void** address);
  int free(void* address);
  int register_host(std::size_t size, void* address);
  int unregister_host(void* address);
  /// -ENOTSUP: only GDRCopy, which distributions do not have, maps device memory to the CPU; the
  /// driver's dma-bufs refuse it.
  int map_to_cpu(std::size_t size, void* address, void** cpu_address);
  int unmap_from_cpu(void* address);
  int free_all();

  /// cudaFree and its like wait for resident kernels: nothing is freed while one runs.
  /// `processors`: that its blocks keep for as long as it runs.
  void kernel_started(std::size_t processors = 0);
  void kernel_ended(std::size_t processors = 0);
  std::size_t processors_taken() const;
  bool kernel_runs() const;

  /// As a dma-buf; nullopt: the driver or the kernel cannot, `why` says so.
  std::optional<int> export_fd(void* address, std::size_t size, std::string& why) const;

 private:
  struct Allocation {
    CUdeviceptr base;
    std::size_t size;
  };

  const CUdevice device_;
  CUcontext context_ = nullptr;
  mutable std::mutex mutex_;
  std::map<void*, Allocation> allocations_;
  std::map<void*, std::size_t> registrations_;
  unsigned kernels_ = 0;
  std::size_t processors_taken_ = 0;
};

}  // namespace ringside
