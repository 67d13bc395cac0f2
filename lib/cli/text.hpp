// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Words that a user typed: splitting them, numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "lib/base/text.hpp"

namespace ringside::cli {

/// The words of a command line; a word that starts with # begins a comment.
std::vector<std::string_view> split_words(std::string_view line);

/// Decimal, or hexadecimal after 0x. Empty for anything else and for values above `max`.
std::optional<std::uint64_t> parse_number(std::string_view word, std::uint64_t max);

}  // namespace ringside::cli
