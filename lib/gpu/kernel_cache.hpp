// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Compiled code, a GPU's or a CPU's, from one run of the program to the next, in
// $XDG_CACHE_HOME/ringside or ~/.cache/ringside: a compiler takes up to three seconds. What cannot
// be read or written there is compiled anew, nothing fails.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ringside {

/// The code that was kept under this key, which is all that the code depends on.
std::optional<std::vector<char>> cached_kernel(const std::string& key);

/// Keeps it, and those others that were used last: 64 at most, 64 MiB in all, none that was not
/// used for 90 days.
void keep_kernel(const std::string& key, const std::vector<char>& code);

}  // namespace ringside
