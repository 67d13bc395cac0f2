// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/base/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace ringside {
namespace {

/// Insertions, deletions, replacements and swaps of neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      table[i][j] = std::min({replaced, table[i - 1][j] + 1, table[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
      }
    }
  }
  return table[a.size()][b.size()];
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  constexpr std::size_t kLongest = 40;  // what is longer is no slip of the keyboard
  if (word.size() > kLongest) return {};
  std::string_view best;
  std::size_t best_distance = 1 + std::max<std::size_t>(1, word.size() / 3);
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string shown;
  for (const char character : text.substr(0, limit)) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x20 || byte >= 0x7f) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += character;
    }
  }
  if (text.size() > limit) shown += "...";
  return shown;
}

std::string either_of(std::span<const std::string> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::string in_quotes(std::string_view text) {
  return '"' + printable(text) + '"';
}

}  // namespace ringside
