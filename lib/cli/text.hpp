// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Words that a user typed: numbers, did-you-mean, and how to show them back safely.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::cli {

/// The words of a command line; a word that starts with # begins a comment.
std::vector<std::string_view> split_words(std::string_view line);

/// Decimal, or hexadecimal after 0x. Empty for anything else and for values above `max`.
std::optional<std::uint64_t> parse_number(std::string_view word, std::uint64_t max);

/// The candidate that `word` most likely meant; empty when none is near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

/// The text as it may be shown: control characters as \xNN, cut to `limit` bytes.
std::string printable(std::string_view text, std::size_t limit = 60);

/// "a", "a or b", "a, b or c"
std::string either_of(std::span<const std::string> words);

/// printable() in double quotes.
std::string in_quotes(std::string_view text);

}  // namespace ringside::cli
