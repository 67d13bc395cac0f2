// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Runs and completes the lines that a user types.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/cli/session.hpp"

namespace ringside::cli {

/// Longer lines are answered with an error, not run.
inline constexpr std::size_t kMaxLineLength = 4096;

/// Errors of a command are printed. Empty lines and comments do nothing.
void execute(Session& session, std::string_view line);

/// The words, sorted, that may stand where `line` ends.
std::vector<std::string> complete(Session& session, std::string_view line);

}  // namespace ringside::cli
