// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The interface between gpudev and its drivers. Distributions do not install the header that
// declares it, though the library exports the symbols; the layout has been the same from DPDK 22.11
// to 26.07. Where an SDK ships gpudev_driver.h, that header wins.
#pragma once

#include <rte_gpudev.h>

#if __has_include(<gpudev_driver.h>)
#include <gpudev_driver.h>
#else

#include <rte_common.h>
#include <rte_dev.h>

#include <cstddef>
#include <cstdint>

struct rte_gpu;
struct rte_gpu_callback;

enum rte_gpu_state { RTE_GPU_STATE_UNUSED, RTE_GPU_STATE_INITIALIZED };

/// Each returns 0 or a negative errno value. gpudev keeps -ENOMEM and -E2BIG of mem_alloc and turns
/// any other error into -EPERM.
struct rte_gpu_ops {
  int (*dev_info_get)(rte_gpu* gpu, rte_gpu_info* info);
  int (*dev_close)(rte_gpu* gpu);
  int (*mem_alloc)(rte_gpu* gpu, std::size_t size, unsigned int align, void** address);
  int (*mem_free)(rte_gpu* gpu, void* address);
  int (*mem_register)(rte_gpu* gpu, std::size_t size, void* address);
  int (*mem_unregister)(rte_gpu* gpu, void* address);
  int (*mem_cpu_map)(rte_gpu* gpu, std::size_t size, void* address, void** cpu_address);
  int (*mem_cpu_unmap)(rte_gpu* gpu, void* address);
  int (*wmb)(rte_gpu* gpu);
};

struct rte_gpu_mpshared {
  char name[RTE_DEV_NAME_MAX_LEN];
  void* dev_private;
  rte_gpu_info info;
  std::uint16_t process_refcnt;
};

struct alignas(RTE_CACHE_LINE_SIZE) rte_gpu {
  rte_device* device;
  rte_gpu_mpshared* mpshared;
  rte_gpu_ops ops;
  struct {
    rte_gpu_callback* first;
    rte_gpu_callback** last;
  } callbacks;
  rte_gpu_state process_state;
  void* process_private;
};
static_assert(offsetof(rte_gpu, process_private) == 13 * sizeof(void*) + sizeof(std::uint64_t));

extern "C" {
rte_gpu* rte_gpu_get_by_name(const char* name);
rte_gpu* rte_gpu_allocate(const char* name);
void rte_gpu_complete_new(rte_gpu* gpu);
int rte_gpu_release(rte_gpu* gpu);
}

#endif
