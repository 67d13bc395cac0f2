// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/machine.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ringside::pipeline {
namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& file) {
  std::string line;
  std::getline(std::ifstream(file), line);
  return line;
}

/// Folder of PCI devices; DPDK looks where this variable says too, and softcx sets it.
fs::path pci_folder(const fs::path& root) {
  const char* const other = root == "/" ? std::getenv("SYSFS_PCI_DEVICES") : nullptr;
  return other != nullptr ? fs::path(other) : root / "sys/bus/pci/devices";
}

/// The largest region but the first, which has the registers. With BARs of 64 bits the memory is
/// the second or the third line, depending on the generation.
std::optional<std::uint64_t> memory_bar(const fs::path& device) {
  std::ifstream resource(device / "resource");
  std::uint64_t largest = 0;
  std::string line;
  for (int bar = 0; bar < 6; ++bar) {
    if (!std::getline(resource, line)) return std::nullopt;
    std::istringstream words(line);
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    if (!(words >> std::hex >> first >> last)) return std::nullopt;
    if (bar > 0 && last > first) largest = std::max(largest, last - first + 1);
  }
  if (largest == 0) return std::nullopt;
  return largest;
}

bool is_nvidia_gpu(const fs::path& device) {
  return first_line(device / "vendor") == "0x10de" &&
         first_line(device / "class").starts_with("0x03");
}

std::uint64_t memory_total(const fs::path& root) {
  std::ifstream meminfo(root / "proc/meminfo");
  std::string name;
  std::uint64_t kilobytes = 0;
  if (!(meminfo >> name >> kilobytes) || name != "MemTotal:") return 0;
  return kilobytes << 10;
}

}  // namespace

std::vector<std::uint16_t> parse_cpu_list(std::string_view text) {
  std::vector<std::uint16_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::uint16_t first = 0;
    auto result = std::from_chars(at, end, first);
    if (result.ec != std::errc{}) return {};
    std::uint16_t last = first;
    if (result.ptr != end && *result.ptr == '-') {
      result = std::from_chars(result.ptr + 1, end, last);
      if (result.ec != std::errc{} || last < first) return {};
    }
    for (std::uint32_t number = first; number <= last; ++number) {
      numbers.push_back(static_cast<std::uint16_t>(number));
    }
    at = result.ptr;
    if (at == end) break;
    if (*at != ',') return {};
    ++at;
  }
  return numbers;
}

Machine read_machine(const std::string& root_folder) {
  const fs::path root(root_folder);
  Machine machine;
  machine.hugepages = list_hugepages(root / "sys/kernel/mm/hugepages");
  machine.cores = parse_cpu_list(first_line(root / "sys/devices/system/cpu/online"));
  machine.numa_nodes = parse_cpu_list(first_line(root / "sys/devices/system/node/online"));
  machine.memory_bytes = memory_total(root);
  std::error_code error;
  std::vector<fs::path> devices;
  for (const auto& entry : fs::directory_iterator(pci_folder(root), error)) {
    devices.push_back(entry.path());
  }
  std::ranges::sort(devices);
  for (const fs::path& device : devices) {
    machine.pci_devices.push_back(device.filename());
    if (is_nvidia_gpu(device)) machine.gpus.push_back({device.filename(), memory_bar(device)});
  }
  return machine;
}

}  // namespace ringside::pipeline
