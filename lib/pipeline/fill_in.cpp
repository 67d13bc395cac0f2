// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/fill_in.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "lib/pipeline/sizing.hpp"

namespace ringside::pipeline {
namespace {

void make_absolute(std::string& file, const std::string& folder) {
  if (file.empty()) return;
  file = std::filesystem::absolute(std::filesystem::path(folder) / file).lexically_normal();
}

constexpr std::uint32_t kPoliceBuckets = 65536;

/// 10 ms of the rate, and never less than a burst of the NIC's.
std::uint64_t automatic_burst(const PoliceStage& stage) {
  constexpr std::uint64_t kPerSecond = 100;
  constexpr std::uint64_t kBitsPerByte = 8;
  constexpr std::uint64_t kLeastBytes = 65536;
  constexpr std::uint64_t kLeastPackets = 64;
  if (stage.packet_rate) return std::max(*stage.packet_rate / kPerSecond, kLeastPackets);
  return std::max(*stage.bit_rate / kBitsPerByte / kPerSecond, kLeastBytes);
}

void fill_in_stage(Stage& stage, const std::string& folder) {
  if (auto* const police = std::get_if<PoliceStage>(&stage.params)) {
    if (!police->burst) police->burst = automatic_burst(*police);
    if (!police->buckets && is_per_flow(police->per)) police->buckets = kPoliceBuckets;
  } else if (auto* const user = std::get_if<UserStage>(&stage.params)) {
    make_absolute(user->object, folder);
    make_absolute(user->source, folder);
  }
}

/// count, count2, count3: the first that is free.
std::string free_name(std::string_view kind, const std::set<std::string>& taken) {
  std::string name(kind);
  for (int number = 2; taken.contains(name); ++number) name = fmt::format("{}{}", kind, number);
  return name;
}

void fill_in_pipeline(Pipeline& pipeline, const std::string& folder) {
  if (pipeline.kernels.empty()) {
    pipeline.kernels.push_back({.name = pipeline.name, .stages = std::move(pipeline.stages)});
  }
  pipeline.stages.clear();
  std::vector<std::vector<Stage>*> chains;
  for (Kernel& kernel : pipeline.kernels) {
    if (!kernel.threads_per_block) kernel.threads_per_block = pipeline.threads_per_block;
    chains.push_back(&kernel.stages);
  }
  pipeline.threads_per_block.reset();
  for (Branch& branch : pipeline.branches) chains.push_back(&branch.stages);

  std::set<std::string> taken;
  for (const std::vector<Stage>* const chain : chains) {
    for (const Stage& stage : *chain) taken.insert(stage.name);
  }
  for (std::vector<Stage>* const chain : chains) {
    for (Stage& stage : *chain) {
      if (stage.name.empty()) stage.name = free_name(stage_kind(stage.params), taken);
      taken.insert(stage.name);
      fill_in_stage(stage, folder);
    }
  }
}

}  // namespace

std::uint16_t default_affinity(const Config& config, MemoryRegion::Kind kind) {
  return kind == MemoryRegion::Kind::kDevice ? config.gpu.id : 0;
}

void fill_in(Config& config, const std::string& folder) {
  for (std::size_t i = 0; i < config.memory_regions.size(); ++i) {
    MemoryRegion& region = config.memory_regions[i];
    if (!region.affinity) region.affinity = default_affinity(config, region.kind);
    if (!region.num_bufs) region.num_bufs = automatic_num_bufs(config, i);
    if (!region.buf_size) region.buf_size = automatic_buf_size(config, i);
  }
  for (Table& table : config.tables) {
    make_absolute(table.file, folder);
    if (!table.capacity) table.capacity = std::max<std::size_t>(table.entries.size(), 1);
  }
  for (Pipeline& pipeline : config.pipelines) fill_in_pipeline(pipeline, folder);
}

}  // namespace ringside::pipeline
