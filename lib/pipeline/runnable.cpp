// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/runnable.hpp"

#include "lib/base/error.hpp"
#include "lib/pipeline/chain_image.hpp"
#include "lib/pipeline/memory_check.hpp"
#include "lib/pipeline/plan.hpp"
#include "lib/runtime/config_check.hpp"

namespace ringside::pipeline {
namespace {

void check_plan_by_runtime(const Config& config, Problems& problems) {
  bool splits = false;
  try {
    const RuntimeConfig runtime = make_plan(config, {}).runtime;
    splits = runtime.headers.has_value();
    check_config(runtime);
  } catch (const Error& error) {
    problems.error(Mark{}, {}, error.what());
  }
  for (std::size_t i = 0; i < config.pipelines.size(); ++i) {
    const Pipeline& pipeline = config.pipelines[i];
    try {
      for (std::size_t k = 0; k < pipeline.kernels.size(); ++k) chain_shape(config, i, k, splits);
    } catch (const Error& error) {
      problems.error(fmt::format("pipelines[{}]", i), error.what());
    }
  }
}

}  // namespace

Loaded load_runnable(const std::string& file, const Machine* machine) {
  return load_file(file, machine, [machine](const Config& config, Problems& problems) {
    if (!problems.any_error()) check_plan_by_runtime(config, problems);
    if (machine != nullptr) check_memory(config, *machine, problems);
  });
}

}  // namespace ringside::pipeline
