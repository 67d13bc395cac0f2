// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/cli/syntax.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "lib/cli/text.hpp"

namespace ringside::cli {
namespace {

std::vector<std::string_view> alternatives(std::string_view token) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t bar; (bar = token.find('|', begin)) != std::string_view::npos; begin = bar + 1) {
    parts.push_back(token.substr(begin, bar - begin));
  }
  parts.push_back(token.substr(begin));
  return parts;
}

bool is_value(std::string_view alternative) {
  return alternative.starts_with('<');
}

bool fits(std::string_view alternative, std::string_view word) {
  if (!is_value(alternative)) return alternative == word;
  if (alternative == "<port>") {
    return parse_number(word, std::numeric_limits<std::uint16_t>::max()).has_value();
  }
  if (alternative == "<count>") {
    return parse_number(word, std::numeric_limits<std::uint32_t>::max()).has_value();
  }
  return true;  // the command itself checks a name, to say which ones there are
}

bool token_fits(std::string_view token, std::string_view word) {
  const auto parts = alternatives(token);
  return std::any_of(parts.begin(), parts.end(),
                     [word](std::string_view part) { return fits(part, word); });
}

}  // namespace

Match match_syntax(std::string_view syntax, std::span<const std::string_view> words) {
  const auto tokens = split_words(syntax);
  const std::size_t shorter = std::min(tokens.size(), words.size());
  std::size_t matched = 0;
  while (matched < shorter && token_fits(tokens[matched], words[matched])) ++matched;
  return {matched, matched == tokens.size() && matched == words.size()};
}

std::vector<std::string> next_words(std::string_view syntax,
                                    std::span<const std::string_view> before,
                                    std::string_view partial, const Values& values) {
  const auto tokens = split_words(syntax);
  if (before.size() >= tokens.size() || match_syntax(syntax, before).words != before.size()) {
    return {};
  }
  std::vector<std::string> found;
  for (const std::string_view part : alternatives(tokens[before.size()])) {
    if (is_value(part)) {
      for (std::string& value : values(part.substr(1, part.size() - 2))) {
        found.push_back(std::move(value));
      }
    } else {
      found.emplace_back(part);
    }
  }
  std::erase_if(found, [partial](const std::string& word) { return !word.starts_with(partial); });
  return found;
}

std::string readable_syntax(std::string_view syntax) {
  std::string text;
  for (const std::string_view token : split_words(syntax)) {
    if (!text.empty()) text += ' ';
    const bool choice = token.find('|') != std::string_view::npos;
    text += choice ? '(' + std::string(token) + ')' : std::string(token);
  }
  return text;
}

}  // namespace ringside::cli
