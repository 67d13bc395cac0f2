// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/host_driver.hpp"

#include <rte_atomic.h>
#include <rte_devargs.h>
#include <rte_eal.h>
#include <rte_log.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <string>

#include "lib/gpu/gpudev_abi.hpp"
#include "lib/gpu/host_driver_args.hpp"
#include "lib/gpu/vdev_abi.hpp"

namespace ringside {
namespace {

using MemoryHandle = std::shared_ptr<HostMemory>;

int log_type = 0;

[[gnu::format(printf, 1, 2)]] void log_error(const char* format, ...) {
  va_list args;
  va_start(args, format);
  rte_vlog(RTE_LOG_ERR, static_cast<std::uint32_t>(log_type), format, args);
  va_end(args);
}

MemoryHandle& handle_of(rte_gpu* gpu) noexcept {
  return *static_cast<MemoryHandle*>(gpu->process_private);
}

int report_if_busy(rte_gpu* gpu, int result, const char* action, const char* cuda_call,
                   const void* address) {
  if (result == -EBUSY) {
    log_freed_while_running(gpu->mpshared->name, action, cuda_call, address);
  }
  return result;
}

int mem_alloc(rte_gpu* gpu, std::size_t size, unsigned int align, void** address) {
  const int result = handle_of(gpu)->allocate(size, align, address);
  if (result != 0) {
    log_error("%s: cannot allocate %zu bytes; the device has %zu (memory=SIZE)\n",
              gpu->mpshared->name, size, gpu->mpshared->info.total_memory);
  }
  return result;
}

int mem_free(rte_gpu* gpu, void* address) {
  return report_if_busy(gpu, handle_of(gpu)->free(address), "free", "cudaFree", address);
}

int mem_register(rte_gpu* gpu, std::size_t size, void* address) {
  return handle_of(gpu)->register_host(size, address);
}

int mem_unregister(rte_gpu* gpu, void* address) {
  return report_if_busy(gpu, handle_of(gpu)->unregister_host(address), "unregister",
                        "cudaHostUnregister", address);
}

int mem_cpu_map(rte_gpu* gpu, std::size_t size, void* address, void** cpu_address) {
  return handle_of(gpu)->map_to_cpu(size, address, cpu_address);
}

int mem_cpu_unmap(rte_gpu* gpu, void* address) {
  return handle_of(gpu)->unmap_from_cpu(address);
}

int wmb(rte_gpu*) {
  rte_wmb();
  return 0;
}

int dev_close(rte_gpu* gpu) {
  const int result = handle_of(gpu)->free_all();
  if (result != 0) return report_if_busy(gpu, result, "close device", "cudaFree", gpu);
  delete &handle_of(gpu);
  gpu->process_private = nullptr;
  return 0;
}

int probe(rte_vdev_device* vdev) {
  const rte_device* device = device_of(vdev);
  const char* name = rte_dev_name(device);
  if (rte_eal_process_type() != RTE_PROC_PRIMARY) {
    log_error("%s: works in primary processes only\n", name);
    return -ENOTSUP;
  }
  const rte_devargs* devargs = rte_dev_devargs(device);
  std::string problem;
  auto config = parse_host_driver_args(name, devargs != nullptr ? devargs->args : nullptr, problem);
  if (!config) {
    log_error("%s: %s\n", name, problem.c_str());
    return -EINVAL;
  }
  rte_gpu* gpu = rte_gpu_allocate(name);
  if (gpu == nullptr) return -ENODEV;
  gpu->device = device_of(vdev);
  gpu->mpshared->info.processor_count = static_cast<std::uint32_t>(::sysconf(_SC_NPROCESSORS_ONLN));
  gpu->mpshared->info.total_memory = config->total;
  gpu->mpshared->info.page_size = HostMemory::kPageSize;
  gpu->process_private = new MemoryHandle(std::make_shared<HostMemory>(std::move(*config)));
  gpu->ops = {.dev_close = dev_close,
              .mem_alloc = mem_alloc,
              .mem_free = mem_free,
              .mem_register = mem_register,
              .mem_unregister = mem_unregister,
              .mem_cpu_map = mem_cpu_map,
              .mem_cpu_unmap = mem_cpu_unmap,
              .wmb = wmb};
  rte_gpu_complete_new(gpu);
  return 0;
}

int remove(rte_vdev_device* vdev) {
  rte_gpu* gpu = rte_gpu_get_by_name(rte_dev_name(device_of(vdev)));
  if (gpu == nullptr) return 0;  // closed by rte_gpu_close() before
  if (const int result = dev_close(gpu); result != 0) return result;
  return rte_gpu_release(gpu);
}

rte_vdev_driver host_driver{.probe = probe, .remove = remove};

[[gnu::constructor]] void register_host_driver() {
  log_type = rte_log_register_type_and_pick_level("pmd.gpu.host", RTE_LOG_NOTICE);
  host_driver.driver.name = kHostDriverName;
  rte_vdev_register(&host_driver);
}

}  // namespace

void log_freed_while_running(const char* device, const char* action, const char* cuda_call,
                             const void* address) noexcept {
  log_error(
      "%s: cannot %s %p while a kernel runs: %s would wait for the kernel to end. "
      "Stop the kernel first.\n",
      device, action, address, cuda_call);
}

MemoryHandle host_memory_of(const char* gpudev_name) {
  rte_gpu* gpu = rte_gpu_get_by_name(gpudev_name);
  // The operations tell whose the device is; another copy of the driver has others.
  if (gpu == nullptr || gpu->ops.mem_alloc != mem_alloc) return nullptr;
  return handle_of(gpu);
}

}  // namespace ringside
