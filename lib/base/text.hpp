// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Words that a user typed: did-you-mean, and how to show them back safely.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ringside {

/// The candidate that `word` most likely meant; empty when none is near.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

/// The text as it may be shown: control characters as \xNN, cut to `limit` bytes.
std::string printable(std::string_view text, std::size_t limit = 60);

/// "a", "a or b", "a, b or c"
std::string either_of(std::span<const std::string> words);

/// printable() in double quotes.
std::string in_quotes(std::string_view text);

}  // namespace ringside
