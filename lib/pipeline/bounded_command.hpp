// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A program that is run to its end, until it has taken too long, or until nobody wants it.
#pragma once

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace ringside::pipeline {

/// Asked every few milliseconds while a command runs; true ends it. An empty one never does.
using GiveUp = std::function<bool()>;

/// It did. No Error: without what the command makes, something else may do; nothing does here.
struct Stopped : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct CommandEnd {
  bool in_time;
  int status;        ///< as waitpid() has it
  std::string said;  ///< on both of its outputs, 1 MiB at most
};

/// Runs words[0], found as execvp() would, with nothing to read. After `limit`, on `give_up`, and
/// when this process ends before it, it is killed with what it has started, but for what left its
/// process group: signals of the terminal do not reach that. Throws Error where it cannot be
/// started, Stopped on `give_up`.
CommandEnd run_bounded(const std::vector<std::string>& words, std::chrono::milliseconds limit,
                       const GiveUp& give_up);

}  // namespace ringside::pipeline
