// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The bytes of a file, before anybody parses them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "lib/pipeline/problems.hpp"

namespace ringside::pipeline {

/// The whole of a regular file of at most `limit` bytes. Otherwise none, and why.
std::optional<std::string> read_file(const std::string& file, std::size_t limit, std::string& why);

/// What makes a text no YAML of ours, whatever it says: not UTF-8, control characters, tabs as
/// indentation. The place of the first one in `problems`, or true.
bool check_characters(std::string_view text, Problems& problems);

/// Without a byte order mark of UTF-8.
std::string_view without_bom(std::string_view text);

}  // namespace ringside::pipeline
