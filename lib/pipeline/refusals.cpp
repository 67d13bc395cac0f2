// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/refusals.hpp"

#include "lib/base/error.hpp"
#include "lib/pipeline/chain_image.hpp"
#include "lib/pipeline/plan.hpp"
#include "lib/runtime/config_check.hpp"

namespace ringside::pipeline {

void add_refusals(Loaded& loaded, const std::string& file) {
  if (!loaded.ok()) return;
  const auto refuse = [&](Mark mark, const std::string& path, const Error& error) {
    // Warnings are told only where there are no errors.
    std::erase_if(loaded.problems, [](const Problem& problem) {
      return problem.severity == Problem::Severity::kWarning;
    });
    loaded.problems.push_back({Problem::Severity::kError, file, mark, path, error.what()});
  };
  bool splits = false;
  try {
    const RuntimeConfig runtime = make_plan(loaded.config, {}).runtime;
    splits = runtime.headers.has_value();
    check_config(runtime);
  } catch (const Error& error) {
    refuse({}, {}, error);
  }
  // A chain is the same whatever its tables hold, and no function of the user's is called.
  std::vector<Table> tables(loaded.config.tables.size());
  for (Table& table : tables) table.capacity = 1;
  for (std::size_t i = 0; i < loaded.config.pipelines.size(); ++i) {
    const Pipeline& pipeline = loaded.config.pipelines[i];
    try {
      for (std::size_t k = 0; k < pipeline.kernels.size(); ++k) {
        build_chain(
            pipeline, k, tables, [](const UserStage&) { return std::uint64_t{0}; }, splits);
      }
    } catch (const Error& error) {
      refuse(loaded.pipeline_marks.at(i), fmt::format("pipelines[{}]", i), error);
    }
  }
}

}  // namespace ringside::pipeline
