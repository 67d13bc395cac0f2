// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Which PCI functions are for Ringside, told from sysfs by vendor and class, without EAL. Not by a
// list of device ids: such lists age.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside {

struct PciAddress {
  std::uint32_t domain = 0;
  std::uint8_t bus = 0;
  std::uint8_t device = 0;
  std::uint8_t function = 0;

  // clang-tidy 14 sees a null pointer in it.
  // NOLINTNEXTLINE(modernize-use-nullptr)
  auto operator<=>(const PciAddress&) const = default;
  /// "0000:ca:00.0"
  std::string text() const;
  /// Of "[domain:]bus:device.function"; nullopt: is none.
  static std::optional<PciAddress> parse(std::string_view text);
};

struct PciFunction {
  PciAddress address;
  std::uint16_t vendor;
  std::uint16_t device;
  std::uint32_t class_code;  ///< base class, subclass, interface: 24 bits

  bool is_network() const noexcept;
  bool is_mlx5_nic() const noexcept;
  bool is_nvidia_gpu() const noexcept;
};

/// The functions below `devices` (/sys/bus/pci/devices, or what SYSFS_PCI_DEVICES names as for
/// EAL), by address. Empty where the machine has no PCI; entries that cannot be read are left out.
std::string pci_devices_folder();
std::vector<PciFunction> list_pci_functions(const std::string& devices = pci_devices_folder());

}  // namespace ringside
