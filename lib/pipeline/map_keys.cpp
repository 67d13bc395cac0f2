// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/map_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "lib/base/text.hpp"

namespace ringside::pipeline {
namespace {

std::string unknown_key(std::string_view key, const std::vector<std::string_view>& known) {
  if (key == "<<")
    return "there are no merge keys: write its keys here, or an alias for a whole value";
  const std::size_t point = key.find('.');
  if (point != std::string_view::npos && std::ranges::count(known, key.substr(0, point)) > 0) {
    return fmt::format("unknown key; did you mean {}: {{{}: ...}}?", key.substr(0, point),
                       printable(key.substr(point + 1)));
  }
  std::string hint = did_you_mean(key, known);
  if (hint.empty()) {
    hint =
        known.empty() ? "; it has no keys" : fmt::format("; there is {}", fmt::join(known, ", "));
  }
  return "unknown key" + hint;
}

/// As it stands in a path, where a point would mean another level.
std::string key_text(std::string_view key) {
  const bool plain = !key.empty() && std::ranges::all_of(key, [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_' || letter == '-';
  });
  return plain ? printable(key) : in_quotes(key);
}

}  // namespace

std::string joined(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

void for_each_key(const Node& map, const std::string& path,
                  const std::vector<std::string_view>& known, Reading& reading,
                  const std::function<void(const Node& key, const Node& value)>& visit) {
  std::unordered_map<std::string_view, int> lines;
  for (std::size_t i = 0; i + 1 < map.items.size(); i += 2) {
    const Node& key = map.items[i];
    if (!key.is_scalar()) {
      reading.problems.error(key.mark, path, fmt::format("{}: a key is a word", shown(key)));
      continue;
    }
    const std::string key_path = joined(path, key_text(key.scalar));
    const auto [first, is_new] = lines.try_emplace(key.scalar, key.mark.line);
    if (!is_new) {
      reading.problems.error(key.mark, key_path,
                             fmt::format("given twice, line {} has it already", first->second));
    } else if (std::ranges::find(known, key.scalar) == known.end()) {
      reading.problems.error(key.mark, key_path, unknown_key(key.scalar, known));
    } else {
      visit(key, map.items[i + 1]);
    }
  }
}

}  // namespace ringside::pipeline
