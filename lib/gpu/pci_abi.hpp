// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The interface between EAL's PCI bus and its drivers, as far as a driver needs it. Not installed
// by distributions; DPDK 26.07 took the list links out of the structures. Where an SDK ships
// bus_pci_driver.h, that header wins.
#pragma once

#include <rte_dev.h>
#include <rte_pci.h>
#include <rte_version.h>

#if __has_include(<bus_pci_driver.h>)
#include <bus_pci_driver.h>

namespace ringside {
inline rte_device* device_of(rte_pci_device* pci) noexcept {
  return &pci->device;
}
}  // namespace ringside

#else

#include "lib/gpu/vdev_abi.hpp"  // rte_driver

#if !defined(RINGSIDE_VDEV_IS_LINKED)
#error "bus_vdev_driver.h is installed without bus_pci_driver.h: install both or neither"
#endif

struct rte_pci_device;

struct rte_pci_driver {
#if RINGSIDE_VDEV_IS_LINKED
  void* next[2];
#endif
  rte_driver driver;
  int (*probe)(rte_pci_driver* driver, rte_pci_device* device);
  int (*remove)(rte_pci_device* device);
  int (*dma_map)(rte_pci_device* device, void* address, std::uint64_t iova, std::size_t length);
  int (*dma_unmap)(rte_pci_device* device, void* address, std::uint64_t iova, std::size_t length);
  const rte_pci_id* id_table;
  std::uint32_t drv_flags;
};

extern "C" void rte_pci_register(rte_pci_driver* driver);

namespace ringside {

/// A PCI device holds a device whose members EAL's rte_dev_*() functions read.
inline rte_device* device_of(rte_pci_device* pci) noexcept {
#if RINGSIDE_VDEV_IS_LINKED
  return reinterpret_cast<rte_device*>(reinterpret_cast<void**>(pci) + 2);
#else
  return reinterpret_cast<rte_device*>(pci);
#endif
}

}  // namespace ringside

#endif
