// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The folders that stand for sysfs: PCI functions and RDMA devices of the software ports.
#pragma once

#include <vector>

#include "lib/softcx/fault/plan.hpp"
#include "lib/softcx/launch/port.hpp"

namespace softcx {

/// For SYSFS_PCI_DEVICES: the software ports beside links to the machine's PCI devices.
inline constexpr const char* kPciFolder = "/dev/shm/softcx/pci";
/// ibv_device's ibdev_path and dev_path lie in here.
inline constexpr const char* kIbFolder = "/dev/shm/softcx/ib";

/// Returns the PCI addresses of the machine's devices that a software port of the same address
/// hides. Throws ringside::Error or std::filesystem::filesystem_error.
std::vector<std::string> make_device_tree(const std::vector<Port>& ports, const FaultPlan& faults);

}  // namespace softcx
