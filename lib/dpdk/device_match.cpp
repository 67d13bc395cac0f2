// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/dpdk/device_match.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace ringside {
namespace {

constexpr std::uint16_t kMellanox = 0x15b3;
constexpr std::uint16_t kNvidia = 0x10de;
constexpr std::uint32_t kNetworkClass = 0x02;
constexpr std::uint32_t kDisplayClass = 0x03;
// Connect-IB, the first device of the mlx5 family; ids below are ConnectX-3's and older.
constexpr std::uint16_t kFirstMlx5Device = 0x1011;

/// Takes a hexadecimal number of at most `digits` digits off the front of `text`.
std::optional<std::uint32_t> take_hex(std::string_view& text, std::size_t digits) {
  std::uint32_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value, 16);
  const auto used = static_cast<std::size_t>(rest - text.data());
  if (error != std::errc{} || used > digits) return std::nullopt;
  text.remove_prefix(used);
  return value;
}

bool take(std::string_view& text, char separator) {
  if (text.empty() || text.front() != separator) return false;
  text.remove_prefix(1);
  return true;
}

/// The number in a file like "0x15b3\n".
std::optional<std::uint32_t> read_id(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string word;
  if (!(file >> word) || word.size() <= 2) return std::nullopt;
  std::string_view digits(word);
  digits.remove_prefix(2);
  const auto value = take_hex(digits, 8);
  return digits.empty() ? value : std::nullopt;
}

}  // namespace

std::string PciAddress::text() const {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", domain, bus, device, function);
}

std::optional<PciAddress> PciAddress::parse(std::string_view text) {
  PciAddress address;
  if (std::count(text.begin(), text.end(), ':') == 2) {
    const auto domain = take_hex(text, 8);
    if (!domain || !take(text, ':')) return std::nullopt;
    address.domain = *domain;
  }
  const auto bus = take_hex(text, 2);
  if (!bus || !take(text, ':')) return std::nullopt;
  const auto device = take_hex(text, 2);
  if (!device || *device > 31 || !take(text, '.')) return std::nullopt;
  const auto function = take_hex(text, 1);
  if (!function || *function > 7 || !text.empty()) return std::nullopt;
  address.bus = static_cast<std::uint8_t>(*bus);
  address.device = static_cast<std::uint8_t>(*device);
  address.function = static_cast<std::uint8_t>(*function);
  return address;
}

bool PciFunction::is_network() const noexcept {
  return class_code >> 16 == kNetworkClass;
}

bool PciFunction::is_mlx5_nic() const noexcept {
  return vendor == kMellanox && is_network() && device >= kFirstMlx5Device;
}

bool PciFunction::is_nvidia_gpu() const noexcept {
  return vendor == kNvidia && class_code >> 16 == kDisplayClass;
}

std::string pci_devices_folder() {
  const char* folder = std::getenv("SYSFS_PCI_DEVICES");
  return folder != nullptr ? folder : "/sys/bus/pci/devices";
}

std::vector<PciFunction> list_pci_functions(const std::string& devices) {
  std::vector<PciFunction> functions;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(devices, error)) {
    const auto address = PciAddress::parse(entry.path().filename().string());
    const auto vendor = read_id(entry.path() / "vendor");
    const auto device = read_id(entry.path() / "device");
    const auto class_code = read_id(entry.path() / "class");
    if (!address || !vendor || !device || !class_code) continue;
    functions.push_back({*address, static_cast<std::uint16_t>(*vendor),
                         static_cast<std::uint16_t>(*device), *class_code});
  }
  std::sort(functions.begin(), functions.end(),
            [](const auto& a, const auto& b) { return a.address < b.address; });
  return functions;
}

}  // namespace ringside
