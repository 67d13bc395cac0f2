// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/sizing.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "lib/runtime/config_check.hpp"

namespace ringside::pipeline {
namespace {

constexpr std::uint32_t kEthernetAndFcs = 18;
/// Ethernet, VLAN, IPv6 and TCP with options.
constexpr std::uint32_t kHeaderBytes = 128;
/// A buffer takes a multiple of it (GpuPool::kElementAlignment), so that "auto" wastes none.
constexpr std::uint32_t kBufferAlignment = 128;

}  // namespace

std::uint32_t header_bytes(const Config& config, const RxQueue& queue) {
  const std::size_t region = queue.memory_regions.front().index;
  if (region >= config.memory_regions.size()) return kHeaderBytes;
  const auto size = config.memory_regions[region].buf_size;
  if (!size) return kHeaderBytes;
  return std::max(*size, kHeadroom) - kHeadroom;
}

std::vector<RegionUse> uses_of_region(const Config& config, std::size_t region) {
  using Part = RegionUse::Part;
  std::vector<RegionUse> uses;
  for (std::size_t i = 0; i < config.interfaces.size(); ++i) {
    const Interface& interface = config.interfaces[i];
    const std::string path = fmt::format("interfaces[{}]", i);
    for (std::size_t j = 0; j < interface.rx.queues.size(); ++j) {
      const RxQueue& queue = interface.rx.queues[j];
      const bool split = queue.memory_regions.size() > 1;
      for (std::size_t k = 0; k < queue.memory_regions.size(); ++k) {
        if (queue.memory_regions[k].index != region) continue;
        const Part part = !split ? Part::kWhole : k == 0 ? Part::kHeaders : Part::kData;
        uses.push_back({&interface, &queue, part, interface.name + "." + queue.name, path,
                        fmt::format("{}.rx.queues[{}]", path, j)});
      }
    }
  }
  return uses;
}

bool is_for_cpu(const Config& config, const RxQueue& queue) {
  return std::ranges::any_of(queue.memory_regions, [&config](const Reference& region) {
    return region.index < config.memory_regions.size() &&
           config.memory_regions[region.index].kind == MemoryRegion::Kind::kHuge;
  });
}

std::uint32_t frame_bytes(const Interface& interface) {
  return std::uint32_t{interface.mtu} + kEthernetAndFcs;
}

std::uint32_t buffers_for(const RegionUse& use) {
  const RxQueue& queue = *use.queue;
  if (const auto& striding = use.interface->rx.striding) {
    const std::uint32_t buffers = queue.num_desc / striding->strides;
    return buffers + std::max(buffers / 2, kOwnTxBuffers);
  }
  const std::uint32_t in_hand = std::max(2 * queue.batch_size, kOwnTxBuffers);
  return queue.num_desc + std::max(queue.num_desc / 2, in_hand);
}

std::uint32_t buffer_bytes_for(const RegionUse& use, const Config& config) {
  const std::uint32_t frame = frame_bytes(*use.interface);
  switch (use.part) {
    case RegionUse::Part::kWhole:
      return kHeadroom +
             (use.interface->rx.striding ? use.interface->rx.striding->buffer_bytes() : frame);
    case RegionUse::Part::kHeaders:
      return kHeadroom + kHeaderBytes / 2;
    case RegionUse::Part::kData:
      return kHeadroom + frame - std::min(frame, header_bytes(config, *use.queue));
  }
  return 0;
}

bool has_rx_queues(const Config& config) {
  return std::ranges::any_of(config.interfaces,
                             [](const Interface& one) { return !one.rx.queues.empty(); });
}

std::uint32_t automatic_num_bufs(const Config& config, std::size_t region) {
  std::uint32_t buffers = 0;
  for (const RegionUse& use : uses_of_region(config, region)) buffers += buffers_for(use);
  return std::max<std::uint32_t>(buffers, 64);
}

std::uint32_t automatic_buf_size(const Config& config, std::size_t region) {
  std::uint32_t bytes = kHeadroom + kHeaderBytes;
  if (!has_rx_queues(config)) {
    for (const Interface& one : config.interfaces) {
      bytes = std::max(bytes, kHeadroom + frame_bytes(one));
    }
  }
  for (const RegionUse& use : uses_of_region(config, region)) {
    bytes = std::max(bytes, buffer_bytes_for(use, config));
  }
  return (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
}

}  // namespace ringside::pipeline
