// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The memory of one gpu_host device, as its driver and its kernels see it. Each allocation is a
// memfd of the device's name (so that /proc/self/maps tells whose it is), mapped shared. An opaque
// device maps it twice: where the application has it the CPU cannot touch it, as if it were a
// GPU's, and kernels use the other mapping, the view. Thread-safe. Functions return 0 or a negative
// errno value, the convention of gpudev's drivers.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "lib/base/unique_fd.hpp"
#include "lib/gpu/align.hpp"
#include "lib/gpu/mapping.hpp"

namespace ringside {

struct HostMemoryConfig {
  std::string name;
  std::uint64_t total;  ///< bytes
  bool opaque = false;
  /// Doorbells cannot be mapped, as where NVIDIA's driver forbids it (iomem=denied).
  bool iomem_denied = false;
};

class HostMemory {
 public:
  static constexpr std::size_t kPageSize = kGpuPage;
  /// On an NVIDIA GPU, what waits for resident kernels to end.
  static constexpr const char* kFreeCall = "cudaFree";
  static constexpr const char* kUnregisterCall = "cudaHostUnregister";

  /// Where an address of an allocation is, seen from a kernel and in the allocation's memfd.
  struct Place {
    std::uint8_t* view;
    std::uint64_t offset;
    std::size_t remaining;  ///< bytes from the address to the end of the allocation
  };

  explicit HostMemory(HostMemoryConfig config) : config_(std::move(config)) {}

  const HostMemoryConfig& config() const noexcept { return config_; }

  /// Zeroed. -ENOMEM: more than is left of config().total, or of the machine's memory.
  int allocate(std::size_t size, std::size_t alignment, void** address);
  /// -ENOENT: not the start of an allocation. -EBUSY: a kernel runs, where cudaFree would wait.
  int free(void* address);
  /// -EEXIST: overlaps memory that is registered already. -EINVAL: is memory of this device.
  int register_host(std::size_t size, void* address);
  /// -ENOENT: not the start of registered memory. -EBUSY: as for free().
  int unregister_host(void* address);
  /// -ENOENT: not the start of an allocation. -E2BIG: longer than it. -EEXIST: mapped already.
  int map_to_cpu(std::size_t size, void* address, void** cpu_address);
  /// `address` is the device's. -ENOENT: not mapped to the CPU.
  int unmap_from_cpu(void* address);
  /// Takes all memory back. -EBUSY: a kernel runs.
  int free_all();

  /// nullopt: not in an allocation.
  std::optional<Place> find(const void* address) const;
  /// A duplicate of the memfd that holds the address; empty: not in an allocation.
  UniqueFd export_fd(const void* address) const;

  void kernel_started() noexcept { kernels_.fetch_add(1, std::memory_order_relaxed); }
  /// Release: what the kernel did to memory comes before the memory may be freed.
  void kernel_ended() noexcept { kernels_.fetch_sub(1, std::memory_order_release); }
  /// Pairs with kernel_ended().
  bool kernel_runs() const noexcept { return kernels_.load(std::memory_order_acquire) != 0; }

 private:
  struct Allocation {
    UniqueFd fd;
    Mapping application;
    Mapping view;  ///< empty: kernels use the application's mapping
    bool on_cpu = false;

    std::uint8_t* view_data() const noexcept { return view ? view.data() : application.data(); }
  };
  using Allocations = std::map<std::uintptr_t, Allocation>;

  Allocations::const_iterator containing(const void* address) const;

  const HostMemoryConfig config_;
  mutable std::mutex mutex_;  ///< of the members below
  Allocations allocations_;
  std::map<std::uintptr_t, std::size_t> registered_;
  std::uint64_t used_ = 0;
  std::atomic<int> kernels_{0};
};

}  // namespace ringside
