// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/memory_check.hpp"

#include <fmt/core.h>

#include "lib/pipeline/footprint.hpp"

namespace ringside::pipeline {
namespace {

using Where = FootprintItem::Where;

constexpr const char* kPath = "memory_regions";

void check_hugepages(std::uint64_t needed, const Machine& machine, Problems& problems) {
  std::uint64_t total = 0;
  for (const HugepageSize& size : machine.hugepages) total += size.page_bytes * size.total;
  const std::uint64_t free = free_hugepage_bytes(machine.hugepages);
  if (needed <= free) return;
  const std::string text =
      fmt::format("about {} of hugepages are needed, {}", bytes_text(needed),
                  machine.hugepages.empty()
                      ? "this kernel has none: set eal.hugepages to false"
                      : fmt::format("this machine has {}, {} of them free: add some in "
                                    "/sys/kernel/mm/hugepages, or set eal.hugepages to false",
                                    bytes_text(total), bytes_text(free)));
  if (needed > total) {
    problems.error(kPath, text);
  } else {
    problems.warn(kPath, text);
  }
}

/// How much memory a GPU has only its driver says; the NIC's window to it is seldom smaller.
void check_gpu(const Footprint& footprint, std::uint16_t id, const MachineGpu& gpu,
               Problems& problems) {
  const std::uint64_t needed = bytes_on(footprint.items, id);
  const std::vector<FootprintItem> reached = footprint.by_nic();
  const std::uint64_t reloaded = needed + bytes_on(footprint.reload, id);
  if (needed == 0) return;
  if (!gpu.bar_bytes) {
    problems.warn(kPath, fmt::format("{} of GPU memory are needed, what {} has cannot be read",
                                     bytes_text(needed), gpu.address));
  } else if (const std::uint64_t by_nic = bytes_on(reached, id); by_nic > *gpu.bar_bytes) {
    problems.error(
        kPath, fmt::format("{} of GPU memory are needed that the NIC reaches ({}), it can reach "
                           "{} of {}: use fewer or smaller buffers, or kind host_pinned",
                           bytes_text(by_nic), items_text(reached, Where::kDevice, id),
                           bytes_text(*gpu.bar_bytes), gpu.address));
  } else if (needed > *gpu.bar_bytes) {
    problems.warn(kPath,
                  fmt::format("{} of GPU memory are needed ({}): whether {} has more than "
                              "the {} that the NIC reaches cannot be read",
                              bytes_text(needed), items_text(footprint.items, Where::kDevice, id),
                              gpu.address, bytes_text(*gpu.bar_bytes)));
  } else if (reloaded > *gpu.bar_bytes) {
    problems.warn(
        kPath,
        fmt::format("a reload lays new stages and tables beside the old ones: {} of GPU memory are "
                    "needed then, and {} may have no more than {}",
                    bytes_text(reloaded), gpu.address, bytes_text(*gpu.bar_bytes)));
  }
}

}  // namespace

void check_memory(const Config& config, const Machine& machine, Problems& problems) {
  const Footprint footprint =
      problems.any_error() ? footprint_of_queues(config) : footprint_of(config);
  const std::uint64_t hugepages = bytes_in(footprint.items, Where::kHugepages);
  if (config.eal.hugepages) check_hugepages(hugepages, machine, problems);
  for (std::size_t id = 0; id < machine.gpus.size(); ++id) {
    check_gpu(footprint, static_cast<std::uint16_t>(id), machine.gpus[id], problems);
  }
  // A GPU made of CPU threads has its memory from the host.
  const std::uint64_t host =
      bytes_in(footprint.items, Where::kPinned) +
      (machine.gpus.empty() ? bytes_in(footprint.items, Where::kDevice) : 0) +
      (config.eal.hugepages ? 0 : hugepages);
  if (machine.memory_bytes != 0 && host > machine.memory_bytes) {
    problems.error(kPath, fmt::format("{} of host memory are needed, this machine has {}: use "
                                      "fewer or smaller buffers",
                                      bytes_text(host), bytes_text(machine.memory_bytes)));
  }
}

}  // namespace ringside::pipeline
