// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Cores and buffers.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "lib/pipeline/rules.hpp"
#include "lib/pipeline/sizing.hpp"
#include "lib/pipeline/units.hpp"

namespace ringside::pipeline {
namespace {

template <class T>
bool has(const std::vector<T>& values, T value) {
  return values.empty() || std::ranges::find(values, value) != values.end();
}

/// EAL options that the file has a key for.
struct OwnOption {
  std::string_view option;
  std::string_view key;
};
constexpr OwnOption kOwnOptions[] = {
    {"-a", "interfaces[].address"},
    {"--allow", "interfaces[].address"},
    {"-b", "interfaces[].address"},
    {"--block", "interfaces[].address"},
    {"-l", "eal.cores"},
    {"-c", "eal.cores"},
    {"-s", "eal.cores"},
    {"-S", "eal.cores"},
    {"--lcores", "eal.cores"},
    {"--main-lcore", "eal.cores"},
    {"--no-huge", "eal.hugepages"},
    {"--in-memory", "eal.in_memory"},
};

bool is_option(std::string_view argument, std::string_view option) {
  if (!argument.starts_with(option)) return false;
  const std::string_view rest = argument.substr(option.size());
  return option.starts_with("--") ? rest.empty() || rest.front() == '=' : true;
}

void check_core(const RuleContext& context, std::uint16_t core, const std::string& path,
                std::map<std::uint16_t, std::string>& owners) {
  const auto [owner, is_new] = owners.try_emplace(core, path);
  if (!is_new) {
    context.problems.error(
        path, fmt::format("core {} is taken by {} already: name another one", core, owner->second));
  } else if (context.machine != nullptr && !has(context.machine->cores, core)) {
    context.problems.error(
        path, fmt::format("core {}: this machine has {} to {} online", core,
                          context.machine->cores.front(), context.machine->cores.back()));
  }
}

void check_num_bufs(const RuleContext& context, std::size_t index, const std::string& path) {
  const MemoryRegion& region = context.config.memory_regions[index];
  const std::uint32_t needed = automatic_num_bufs(context.config, index);
  if (!region.num_bufs || *region.num_bufs >= needed) return;
  std::vector<std::string> queues;
  for (const RegionUse& use : uses_of_region(context.config, index)) {
    queues.push_back(fmt::format("{} ({})", use.name, buffers_for(use)));
  }
  context.problems.error(
      path + ".num_bufs",
      fmt::format("{} buffers are too few, the rings need {}, 1.5 times what they hold: {}; use "
                  "{} or auto",
                  *region.num_bufs, needed, fmt::join(queues, ", "), needed));
}

void check_buf_size(const RuleContext& context, std::size_t index, const std::string& path) {
  const MemoryRegion& region = context.config.memory_regions[index];
  if (!region.buf_size) return;
  for (const RegionUse& use : uses_of_region(context.config, index)) {
    const std::uint32_t needed = buffer_bytes_for(use, context.config);
    if (*region.buf_size >= needed) continue;
    if (const auto& striding = use.interface->rx.striding) {
      context.problems.error(
          path + ".buf_size",
          fmt::format(
              "{} bytes are too few for {} strides of {} of {}; use {} or auto, headroom is "
              "{}",
              *region.buf_size, striding->strides, striding->stride_size, use.name, needed,
              kHeadroom));
      return;
    }
    context.problems.error(
        path + ".buf_size",
        fmt::format("{} bytes are too few for {} of {}, whose MTU is {}; use {} or auto, headroom "
                    "is {}",
                    *region.buf_size,
                    use.part == RegionUse::Part::kHeaders ? "the headers" : "the packets", use.name,
                    use.interface->mtu, needed, kHeadroom));
    return;
  }
}

/// Of a queue with two regions, the second is for what the first does not take.
void check_data_is_left(const RuleContext& context, std::size_t index, const std::string& path) {
  if (!context.config.memory_regions[index].buf_size) return;
  for (const RegionUse& use : uses_of_region(context.config, index)) {
    if (use.part != RegionUse::Part::kHeaders) continue;
    const std::uint32_t headers = header_bytes(context.config, *use.queue);
    const std::uint32_t frame = frame_bytes(*use.interface);
    if (headers < frame) continue;
    context.problems.error(path + ".buf_size",
                           fmt::format("the headers of {} have {} bytes, its largest frame {}: "
                                       "use less than {}, or name one region for whole packets",
                                       use.name, headers, frame, kHeadroom + frame));
    return;
  }
}

void check_affinity(const RuleContext& context, const MemoryRegion& region,
                    const std::string& path) {
  if (region.kind == MemoryRegion::Kind::kDevice || !region.affinity) return;  // rules_gpus.cpp
  if (context.machine != nullptr && !has(context.machine->numa_nodes, *region.affinity)) {
    context.problems.error(path + ".affinity",
                           fmt::format("NUMA node {}: this machine has {}", *region.affinity,
                                       fmt::join(context.machine->numa_nodes, ", ")));
  }
}

}  // namespace

void check_cores(const RuleContext& context) {
  const Config& config = context.config;
  std::map<std::uint16_t, std::string> owners;
  for (std::size_t i = 0; i < config.eal.cores.size(); ++i) {
    check_core(context, config.eal.cores[i], fmt::format("eal.cores[{}]", i), owners);
  }
  for (std::size_t i = 0; i < config.pipelines.size(); ++i) {
    const std::vector<Sink>& sinks = config.pipelines[i].sinks;
    for (std::size_t j = 0; j < sinks.size(); ++j) {
      const CpuSink* const cpu = std::get_if<CpuSink>(&sinks[j].params);
      if (cpu == nullptr || !cpu->core) continue;
      check_core(context, *cpu->core, fmt::format("pipelines[{}].sinks[{}].cpu.core", i, j),
                 owners);
    }
  }
  for (std::size_t i = 0; i < config.eal.extra_args.size(); ++i) {
    for (const OwnOption& own : kOwnOptions) {
      if (!is_option(config.eal.extra_args[i], own.option)) continue;
      context.problems.error(
          fmt::format("eal.extra_args[{}]", i),
          fmt::format("{} is what {} says: remove it here", own.option, own.key));
    }
  }
}

void check_regions(const RuleContext& context) {
  const Config& config = context.config;
  for (std::size_t i = 0; i < config.memory_regions.size(); ++i) {
    const std::string path = fmt::format("memory_regions[{}]", i);
    check_affinity(context, config.memory_regions[i], path);
    const std::vector<RegionUse> uses = uses_of_region(config, i);
    if (uses.empty()) {
      // Without any receive queue the frames of generators lie in the first one.
      const bool is_for_frames = i == 0 && !config.generator.empty() && !has_rx_queues(config);
      if (!is_for_frames) context.problems.warn(path, "no receive queue uses this region");
      continue;
    }
    if (std::ranges::any_of(uses, [&context](const RegionUse& use) {
          return context.problems.any_error_in(use.queue_path) ||
                 context.problems.any_error_in(use.interface_path + ".mtu");
        })) {
      continue;  // rings and frames of another size than the file means
    }
    check_num_bufs(context, i, path);
    check_buf_size(context, i, path);
    check_data_is_left(context, i, path);
  }
}

}  // namespace ringside::pipeline
