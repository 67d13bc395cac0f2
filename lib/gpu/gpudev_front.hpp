// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What gpudev sees of a driver: the operations of a device, over the driver's own kind of memory.
//
// Memory has allocate, free, register_host, unregister_host, map_to_cpu, unmap_from_cpu and
// free_all, which return 0 or a negative errno value; kPageSize; and kFreeCall and
// kUnregisterCall, the CUDA calls that would wait for a kernel where -EBUSY is returned.
#pragma once

#include <rte_atomic.h>
#include <rte_log.h>

#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <memory>
#include <utility>

#include "lib/gpu/gpudev_abi.hpp"

namespace ringside {

template <class Memory>
class GpudevFront {
 public:
  struct Properties {
    std::uint32_t processors;
    std::uint64_t total_memory;
  };

  /// Once, by the driver's constructor. `log_name`: pmd.gpu.NAME.
  static void register_log(const char* log_name) noexcept {
    log_type_ = rte_log_register_type_and_pick_level(log_name, RTE_LOG_NOTICE);
  }

  [[gnu::format(printf, 1, 2)]] static void log_error(const char* format, ...) noexcept {
    va_list args;
    va_start(args, format);
    rte_vlog(RTE_LOG_ERR, static_cast<std::uint32_t>(log_type_), format, args);
    va_end(args);
  }

  /// Says what on an NVIDIA GPU would be a program that hangs. `action`: "free", "unregister", ...
  static void log_busy(const char* device, const char* action, const char* cuda_call,
                       const void* address) noexcept {
    log_error(
        "%s: cannot %s %p while a kernel runs: %s would wait for the kernel to end. "
        "Stop the kernel first.\n",
        device, action, address, cuda_call);
  }

  /// -ENODEV: gpudev takes no device of the name.
  static int create(const char* name, rte_device* device, const Properties& properties,
                    std::shared_ptr<Memory> memory) {
    rte_gpu* gpu = rte_gpu_allocate(name);
    if (gpu == nullptr) return -ENODEV;
    gpu->device = device;
    gpu->mpshared->info.processor_count = properties.processors;
    gpu->mpshared->info.total_memory = properties.total_memory;
    gpu->mpshared->info.page_size = Memory::kPageSize;
    gpu->process_private = new Handle(std::move(memory));
    gpu->ops = {.dev_close = close,
                .mem_alloc = allocate,
                .mem_free = free,
                .mem_register = register_host,
                .mem_unregister = unregister_host,
                .mem_cpu_map = map_to_cpu,
                .mem_cpu_unmap = unmap_from_cpu,
                .wmb = write_barrier};
    rte_gpu_complete_new(gpu);
    return 0;
  }

  static int remove(const char* name) {
    rte_gpu* gpu = rte_gpu_get_by_name(name);
    if (gpu == nullptr) return 0;  // closed by rte_gpu_close() before
    if (const int result = close(gpu); result != 0) return result;
    return rte_gpu_release(gpu);
  }

  /// nullptr: the device is another driver's, or another copy's of this one: its operations tell.
  static std::shared_ptr<Memory> memory_of(const char* name) {
    rte_gpu* gpu = rte_gpu_get_by_name(name);
    if (gpu == nullptr || gpu->ops.mem_alloc != allocate) return nullptr;
    return handle_of(gpu);
  }

 private:
  using Handle = std::shared_ptr<Memory>;

  static Handle& handle_of(rte_gpu* gpu) noexcept {
    return *static_cast<Handle*>(gpu->process_private);
  }
  static const char* name_of(const rte_gpu* gpu) noexcept { return gpu->mpshared->name; }

  static int report(rte_gpu* gpu, int result, const char* action, const char* cuda_call,
                    const void* address) noexcept {
    if (result == -EBUSY) log_busy(name_of(gpu), action, cuda_call, address);
    return result;
  }

  static int allocate(rte_gpu* gpu, std::size_t size, unsigned int align, void** address) {
    const int result = handle_of(gpu)->allocate(size, align, address);
    if (result != 0) {
      log_error("%s: cannot allocate %zu bytes; the device has %zu\n", name_of(gpu), size,
                static_cast<std::size_t>(gpu->mpshared->info.total_memory));
    }
    return result;
  }
  static int free(rte_gpu* gpu, void* address) {
    return report(gpu, handle_of(gpu)->free(address), "free", Memory::kFreeCall, address);
  }
  static int register_host(rte_gpu* gpu, std::size_t size, void* address) {
    return handle_of(gpu)->register_host(size, address);
  }
  static int unregister_host(rte_gpu* gpu, void* address) {
    return report(gpu, handle_of(gpu)->unregister_host(address), "unregister",
                  Memory::kUnregisterCall, address);
  }
  static int map_to_cpu(rte_gpu* gpu, std::size_t size, void* address, void** cpu_address) {
    const int result = handle_of(gpu)->map_to_cpu(size, address, cpu_address);
    if constexpr (requires { handle_of(gpu)->cpu_map_refusal(); }) {
      if (result == -ENOTSUP) {
        log_error("%s: device memory cannot be mapped to the CPU: that needs GDRCopy, and %s\n",
                  name_of(gpu), handle_of(gpu)->cpu_map_refusal().c_str());
      }
    }
    return result;
  }
  static int unmap_from_cpu(rte_gpu* gpu, void* address) {
    return handle_of(gpu)->unmap_from_cpu(address);
  }
  // Writes of the CPU to memory that both reach are ordered by the CPU's own barrier.
  static int write_barrier(rte_gpu*) {
    rte_wmb();
    return 0;
  }
  static int close(rte_gpu* gpu) {
    const int result = handle_of(gpu)->free_all();
    if (result != 0) return report(gpu, result, "close device", Memory::kFreeCall, gpu);
    delete &handle_of(gpu);
    gpu->process_private = nullptr;
    return 0;
  }

  static inline int log_type_ = 0;
};

}  // namespace ringside
