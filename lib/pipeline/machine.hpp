// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a machine has, as /sys and /proc say. Nothing is opened but their files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/dpdk/hugepages.hpp"

namespace ringside::pipeline {

struct MachineGpu {
  std::string address;
  /// What of its memory other devices can reach; none: its resource file cannot be read.
  std::optional<std::uint64_t> bar_bytes;
};

struct Machine {
  std::vector<HugepageSize> hugepages;
  std::vector<std::uint16_t> cores;       ///< online; empty: not known
  std::vector<std::uint16_t> numa_nodes;  ///< online; empty: not known
  std::vector<std::string> pci_devices;   ///< addresses, sorted; empty: not known
  std::vector<MachineGpu> gpus;           ///< NVIDIA's, by address
  std::uint64_t memory_bytes = 0;         ///< 0: not known
};

/// `root`: "/", or a folder with another machine's proc and sys.
Machine read_machine(const std::string& root = "/");

/// "0-3,8" as in /sys; empty for anything else.
std::vector<std::uint16_t> parse_cpu_list(std::string_view text);

}  // namespace ringside::pipeline
