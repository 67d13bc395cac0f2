// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The interface between EAL's vdev bus and its drivers, as far as a driver needs it. Not installed
// by distributions; DPDK 26.07 took the list links out of the structures. Where an SDK ships
// bus_vdev_driver.h, that header wins.
#pragma once

#include <rte_dev.h>
#include <rte_version.h>

#if __has_include(<bus_vdev_driver.h>)
#include <bus_vdev_driver.h>

namespace ringside {
inline rte_device* device_of(rte_vdev_device* vdev) noexcept {
  return &vdev->device;
}
}  // namespace ringside

#else

#include <cstddef>
#include <cstdint>

#define RINGSIDE_VDEV_IS_LINKED (RTE_VERSION < RTE_VERSION_NUM(26, 7, 0, 0))

struct rte_bus;
struct rte_vdev_device;

struct rte_driver {
  void* next[2];
  const char* name;
  const char* alias;
#if !RINGSIDE_VDEV_IS_LINKED
  const rte_bus* bus;
#endif
};

struct rte_vdev_driver {
#if RINGSIDE_VDEV_IS_LINKED
  void* next[2];
#endif
  rte_driver driver;
  int (*probe)(rte_vdev_device* vdev);
  int (*remove)(rte_vdev_device* vdev);
  int (*dma_map)(rte_vdev_device* vdev, void* address, std::uint64_t iova, std::size_t length);
  int (*dma_unmap)(rte_vdev_device* vdev, void* address, std::uint64_t iova, std::size_t length);
  std::uint32_t drv_flags;
};

extern "C" void rte_vdev_register(rte_vdev_driver* driver);

namespace ringside {

/// A vdev holds a device whose members EAL's rte_dev_*() functions read.
inline rte_device* device_of(rte_vdev_device* vdev) noexcept {
#if RINGSIDE_VDEV_IS_LINKED
  return reinterpret_cast<rte_device*>(reinterpret_cast<void**>(vdev) + 2);
#else
  return reinterpret_cast<rte_device*>(vdev);
#endif
}

}  // namespace ringside

#endif
