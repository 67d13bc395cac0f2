// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The program behind `ringside testpmd`.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "lib/runtime/runtime.hpp"

namespace ringside::cli {

using RuntimeFactory = std::function<std::unique_ptr<Runtime>(RuntimeConfig config)>;

/// `arguments[0]` is the name that the user called. Returns the exit code: 0 or 1. Throws Error
/// for wrong usage and for what keeps the ports from coming up.
int run_testpmd(std::span<const std::string> arguments, const RuntimeFactory& create);

}  // namespace ringside::cli
