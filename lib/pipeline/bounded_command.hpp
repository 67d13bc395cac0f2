// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A program that is run to its end, or until it has taken too long.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace ringside::pipeline {

struct CommandEnd {
  bool in_time;
  int status;        ///< as waitpid() has it
  std::string said;  ///< on both of its outputs, 1 MiB at most
};

/// Runs words[0], found as execvp() would, with nothing to read. After `limit` it is killed with
/// what it has started, but for what left its process group. Throws Error where it cannot be
/// started.
CommandEnd run_bounded(const std::vector<std::string>& words, std::chrono::milliseconds limit);

}  // namespace ringside::pipeline
