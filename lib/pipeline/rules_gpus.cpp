// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Rules of files that name several GPUs.
#include <fmt/core.h>

#include "lib/pipeline/gpus.hpp"
#include "lib/pipeline/rules.hpp"

namespace ringside::pipeline {
namespace {

void check_gpu_id(const RuleContext& context, std::size_t id, std::size_t gpus) {
  if (gpus == 0 && id > 0) {
    context.problems.error(
        "gpu.id",
        fmt::format("GPU {}: this machine has no NVIDIA GPU, use 0, which then is made of CPU "
                    "threads",
                    id));
  } else if (gpus != 0 && id >= gpus) {
    context.problems.error("gpu.id",
                           fmt::format("GPU {}: this machine has {}, from 0 on", id, gpus));
  }
}

void check_region(const RuleContext& context, const MemoryRegion& region, const std::string& path) {
  if (region.kind != MemoryRegion::Kind::kDevice || !region.affinity || !context.machine) return;
  const std::size_t gpus = context.machine->gpus.size();
  if (*region.affinity < gpus || *region.affinity == context.config.gpu.id) return;
  if (gpus == 0) {
    context.problems.warn(
        path + ".affinity",
        fmt::format("GPU {}: this machine has no NVIDIA GPU, it has to be made of "
                    "CPU threads (eal.extra_args: --vdev=gpu_host{})",
                    *region.affinity, *region.affinity));
  } else {
    context.problems.error(path + ".affinity", fmt::format("GPU {}: this machine has {}, from 0 on",
                                                           *region.affinity, gpus));
  }
}

/// The GPU that receives an interface's packets runs the kernel that owns all its queues.
void check_interface(const RuleContext& context, const Interface& interface,
                     const std::string& path) {
  const Config& config = context.config;
  const std::uint16_t gpu = gpu_of_interface(config, interface);
  for (std::size_t q = 0; q < interface.rx.queues.size(); ++q) {
    for (const Reference& reference : interface.rx.queues[q].memory_regions) {
      if (reference.index >= config.memory_regions.size()) continue;
      const MemoryRegion& region = config.memory_regions[reference.index];
      if (region.kind != MemoryRegion::Kind::kDevice || gpu_of_region(config, region) == gpu) {
        continue;
      }
      context.problems.error(
          fmt::format("{}.rx.queues[{}].memory_regions", path, q),
          fmt::format(
              "region {} is on GPU {}, and another of {} on GPU {}: name regions of one GPU",
              region.name, gpu_of_region(config, region), interface.name, gpu));
    }
  }
}

void check_pipeline(const RuleContext& context, const Pipeline& pipeline, const std::string& path) {
  const Config& config = context.config;
  const auto gpu_of = [&config](const QueueReference& source) {
    return gpu_of_interface(config, config.interfaces[source.interface]);
  };
  const QueueReference* first = nullptr;
  for (std::size_t i = 0; i < pipeline.sources.size(); ++i) {
    const QueueReference& source = pipeline.sources[i];
    if (source.interface >= config.interfaces.size()) continue;
    if (first == nullptr) first = &source;
    if (gpu_of(source) == gpu_of(*first)) continue;
    context.problems.error(
        fmt::format("{}.sources[{}]", path, i),
        fmt::format("{} has its packets on GPU {}, {} on GPU {}: a pipeline runs on one GPU, make "
                    "two of it",
                    source.name, gpu_of(source), first->name, gpu_of(*first)));
  }
}

}  // namespace

void check_gpus(const RuleContext& context) {
  const Config& config = context.config;
  if (context.machine != nullptr)
    check_gpu_id(context, config.gpu.id, context.machine->gpus.size());
  for (std::size_t i = 0; i < config.memory_regions.size(); ++i) {
    check_region(context, config.memory_regions[i], fmt::format("memory_regions[{}]", i));
  }
  for (std::size_t i = 0; i < config.interfaces.size(); ++i) {
    check_interface(context, config.interfaces[i], fmt::format("interfaces[{}]", i));
  }
  for (std::size_t i = 0; i < config.pipelines.size(); ++i) {
    check_pipeline(context, config.pipelines[i], fmt::format("pipelines[{}]", i));
  }
}

}  // namespace ringside::pipeline
