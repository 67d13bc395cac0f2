// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// `ringside run`: a pipeline file from start to final report.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/runtime/runtime.hpp"

namespace ringside::pipeline {

struct RunOptions {
  std::string file;
  std::vector<std::string> eal_arguments;  ///< behind those of the file
  std::optional<double> duration_s;        ///< ends after that long
  std::uint64_t packets = 0;               ///< ends after that many were received; 0: never
  bool json = false;                       ///< the final report on standard output, nothing else
};

using RuntimeFactory = std::function<std::unique_ptr<Runtime>(RuntimeConfig)>;

/// Ends with SIGINT, SIGTERM, as the options say, or when all streams have stopped. SIGHUP reads
/// the file again. Returns the exit code: 0, 1 for a run in which something failed, 2 for a file
/// with errors, all of them printed. Throws Error.
int run(const RunOptions& options, const RuntimeFactory& create);

}  // namespace ringside::pipeline
