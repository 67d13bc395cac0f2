// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The subcommands of `ringside`, one file each. `arguments[0]` is the name as the user called it;
// the result is the exit code.
#pragma once

#include <span>
#include <string>

namespace ringside::app {

int check(std::span<const std::string> arguments);
int run(std::span<const std::string> arguments);
int testpmd(std::span<const std::string> arguments);
int nic_info(std::span<const std::string> arguments);

}  // namespace ringside::app
