// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The memory of one CUDA device that gpudev hands out, and its primary context.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "lib/gpu/align.hpp"
#include "lib/gpu/gdr_copy.hpp"

namespace ringside {

/// Errors are negative errno values, as gpudev drivers return them. Thread-safe.
class CudaMemory {
 public:
  static constexpr std::size_t kPageSize = kGpuPage;
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
  /// By GDRCopy alone: the driver's dma-bufs refuse it. -ENOTSUP: that is not there,
  /// cpu_map_refusal() says what is missing. -ENOENT: not the start of an allocation. -E2BIG:
  /// longer than it. -EEXIST: mapped already.
  int map_to_cpu(std::size_t size, void* address, void** cpu_address);
  int unmap_from_cpu(void* address);
  const std::string& cpu_map_refusal() const noexcept { return cpu_map_refusal_; }
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
  std::unique_ptr<GdrCopy> gdr_copy_;  ///< opened by the first that asks for it
  std::string cpu_map_refusal_;
};

}  // namespace ringside
