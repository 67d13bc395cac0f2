// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "app/subcommand.hpp"
#include "lib/cli/testpmd.hpp"
#include "lib/runtime/runtime.hpp"

namespace ringside::app {

int testpmd(std::span<const std::string> arguments) {
  return cli::run_testpmd(arguments, Runtime::create);
}

}  // namespace ringside::app
