// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A pipeline's stages, wherever the file has them.
#pragma once

#include <string>
#include <vector>

#include "lib/pipeline/config.hpp"

namespace ringside::pipeline {

/// Stages one after the other: of a kernel, of a branch, or of a pipeline without kernels.
struct Chain {
  const std::vector<Stage>* stages;
  const Branch* branch;  ///< null: of a kernel
  std::string path;      ///< of the list of stages
};
/// `path` is that of the pipeline.
std::vector<Chain> chains_of(const Pipeline& pipeline, const std::string& path);

/// Where packets may go from a stage, but for copies and answers.
struct StageTarget {
  const Target* target;
  std::string path;  ///< within the stage, as in match.otherwise
};
std::vector<StageTarget> targets_of(const Stage& stage);
/// Packets may go on to the stage behind.
bool passes(const Stage& stage);

/// Sinks that get copies and answers of a stage; null for other stages.
const Target* copy_target_of(const Stage& stage);

}  // namespace ringside::pipeline
