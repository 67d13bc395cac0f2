// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/plan.hpp"

#include <fmt/ranges.h>

#include "lib/pipeline/flow_patterns.hpp"

namespace ringside::pipeline {
namespace {

std::vector<std::string> eal_arguments(const Config& config, std::span<const std::string> more) {
  std::vector<std::string> arguments = {"ringside"};
  if (!config.eal.cores.empty()) {
    arguments.insert(arguments.end(), {"-l", fmt::format("{}", fmt::join(config.eal.cores, ","))});
    arguments.push_back(fmt::format("--main-lcore={}", config.eal.cores.front()));
  }
  if (!config.eal.hugepages) arguments.push_back("--no-huge");
  if (config.eal.in_memory) arguments.push_back("--in-memory");
  for (const std::string& argument : config.eal.extra_args) arguments.push_back(argument);
  for (const Interface& interface : config.interfaces) {
    arguments.insert(arguments.end(), {"-a", interface.address});
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace

Plan make_plan(const Config& config, std::span<const std::string> more) {
  Plan plan;
  RuntimeConfig& runtime = plan.runtime;
  runtime.eal_args = eal_arguments(config, more);
  set_queues(config, runtime);
  if (!config.pipelines.empty()) {
    const Kernel& kernel = config.pipelines.front().kernels.front();
    runtime.threads_per_block = kernel.threads_per_block.value_or(0);
  }
  for (const Interface& interface : config.interfaces) {
    runtime.flows.push_back(port_flows(interface));
  }
  set_streams(config, plan);
  return plan;
}

}  // namespace ringside::pipeline
