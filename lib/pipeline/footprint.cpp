// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/footprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "lib/pipeline/footprint_parts.hpp"

namespace ringside::pipeline {
namespace {

using Where = FootprintItem::Where;

template <class Matches>
std::uint64_t sum(const std::vector<FootprintItem>& items, Matches matches) {
  std::uint64_t bytes = 0;
  for (const FootprintItem& item : items) {
    if (matches(item)) bytes += item.bytes;
  }
  return bytes;
}

}  // namespace

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::uint64_t kKiB = std::uint64_t{1} << 10, kMiB = kKiB << 10;
  if (bytes > 0 && bytes < kMiB) return fmt::format("{} KiB", (bytes + kKiB - 1) / kKiB);
  return fmt::format("{} MiB", (bytes + kMiB - 1) / kMiB);
}

std::uint64_t bytes_on(const std::vector<FootprintItem>& items, std::uint16_t gpu) {
  return sum(items, [gpu](const FootprintItem& item) {
    return item.where == Where::kDevice && item.gpu == gpu;
  });
}

std::uint64_t bytes_in(const std::vector<FootprintItem>& items, Where where) {
  return sum(items, [where](const FootprintItem& item) { return item.where == where; });
}

std::vector<FootprintItem> Footprint::by_nic() const {
  std::vector<FootprintItem> reached;
  std::ranges::copy_if(items, std::back_inserter(reached), &FootprintItem::by_nic);
  return reached;
}

void Footprint::add(FootprintItem item) {
  if (item.bytes == 0) return;
  const auto same = std::ranges::find_if(items, [&](const FootprintItem& one) {
    return one.where == item.where && one.gpu == item.gpu && one.what == item.what &&
           one.by_nic == item.by_nic;
  });
  if (same == items.end()) {
    items.push_back(std::move(item));
  } else {
    same->bytes += item.bytes;
  }
}

Footprint footprint_of(const Config& config) {
  Plan plan;
  set_queues(config, plan.runtime);
  set_streams(config, plan);
  Footprint footprint;
  add_queues(plan.runtime, footprint);
  add_stages(config, plan.runtime, footprint);
  add_generators(config, plan, footprint);
  return footprint;
}

Footprint footprint_of_queues(const Config& config) {
  Footprint footprint;
  if (config.interfaces.empty() || config.memory_regions.empty()) return footprint;
  RuntimeConfig runtime;
  set_queues(config, runtime);
  if (runtime.rx_queues == 0) return footprint;
  // Which block sends by which queue is not known: each by that of its number.
  for (std::uint16_t port = 0; port < config.interfaces.size(); ++port) {
    for (std::uint16_t q = 0; q < runtime.rx_queues; ++q) {
      runtime.streams.push_back({port, q, port, q});
    }
  }
  add_queues(runtime, footprint);
  return footprint;
}

std::string items_text(const std::vector<FootprintItem>& items, Where where, std::uint16_t gpu) {
  std::vector<std::string> texts;
  for (const FootprintItem& item : items) {
    if (item.where != where || item.gpu != gpu) continue;
    texts.push_back(fmt::format("{} {}", item.what, bytes_text(item.bytes)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string footprint_comment(const Footprint& footprint) {
  std::string text = "# Memory, about:\n";
  const auto line = [&](Where where, std::uint16_t gpu, const std::string& name,
                        std::uint64_t bytes) {
    if (bytes == 0) return;
    text += fmt::format("#   {}: {} ({})\n", name, bytes_text(bytes),
                        items_text(footprint.items, where, gpu));
  };
  std::set<std::uint16_t> gpus;
  for (const FootprintItem& item : footprint.items) {
    if (item.where == Where::kDevice) gpus.insert(item.gpu);
  }
  for (const std::uint16_t gpu : gpus) {
    const std::uint64_t bytes = bytes_on(footprint.items, gpu);
    line(Where::kDevice, gpu, fmt::format("GPU {}", gpu), bytes);
    const std::string reloaded = bytes_text(bytes + bytes_on(footprint.reload, gpu));
    if (reloaded == bytes_text(bytes)) continue;
    text += fmt::format("#   GPU {} from a reload on: {}\n", gpu, reloaded);
  }
  line(Where::kPinned, 0, "pinned host memory", bytes_in(footprint.items, Where::kPinned));
  line(Where::kHugepages, 0, "hugepages", bytes_in(footprint.items, Where::kHugepages));
  return text;
}

}  // namespace ringside::pipeline
