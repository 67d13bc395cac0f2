// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The command line of `ringside testpmd [EAL options] -- [testpmd options]`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/runtime/runtime.hpp"

namespace ringside::cli {

struct TestpmdOptions {
  RuntimeConfig runtime;
  bool help = false;
  bool interactive = false;
  bool auto_start = false;
  bool tx_first = false;
  std::uint32_t stats_period = 0;  ///< seconds; 0: none
  std::vector<std::string> command_files;
};

/// `arguments[0]` is the program's name. Throws usage_error: one sentence that names the argument.
TestpmdOptions parse_testpmd_options(std::span<const std::string> arguments);

/// What --help prints; made from the same table as the parser.
std::string testpmd_usage(std::string_view program);

}  // namespace ringside::cli
