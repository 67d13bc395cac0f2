// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/yaml_text.hpp"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>

namespace ringside::pipeline {
namespace {

bool is_letter(char character) {
  return std::isalpha(static_cast<unsigned char>(character)) != 0;
}

/// 10Gbps. Not 0x1f, nor 1e5.
bool is_quantity(std::string_view word) {
  if (word.empty() || word.front() < '1' || word.front() > '9') return false;
  const std::size_t suffix = word.find_first_not_of("0123456789");
  return suffix != std::string_view::npos && std::ranges::all_of(word.substr(suffix), is_letter);
}

/// A word that means itself to every reader: begins with a letter, has nothing special, and is
/// none of those that mean a truth value or nothing.
bool is_plain(std::string_view word) {
  constexpr std::string_view kSpecial[] = {"true", "false", "yes", "no",  "on", "off",
                                           "null", "y",     "n",   "inf", "nan"};
  constexpr std::string_view kInside = "_-./";
  if (is_quantity(word)) return true;
  if (word.empty() || !is_letter(word.front())) return false;
  const bool allowed = std::ranges::all_of(word, [&](char letter) {
    return is_letter(letter) || (letter >= '0' && letter <= '9') ||
           kInside.find(letter) != std::string_view::npos;
  });
  if (!allowed) return false;
  return std::ranges::none_of(kSpecial, [word](std::string_view special) {
    return std::ranges::equal(word, special, [](unsigned char a, unsigned char b) {
      return std::tolower(a) == std::tolower(b);
    });
  });
}

std::string scalar_text(const Json& json) {
  if (!json.is_string()) return json.dump();
  const auto& word = json.get_ref<const std::string&>();
  // A JSON string is a double-quoted one of YAML.
  return is_plain(word) ? word : json.dump();
}

std::string flow_text(const Json& list) {
  std::string text = "[";
  for (const Json& item : list) {
    if (text.size() > 1) text += ", ";
    text += scalar_text(item);
  }
  return text + "]";
}

bool all_single(const Json& list) {
  return std::ranges::none_of(list, [](const Json& item) { return item.is_structured(); });
}

void append(std::string& text, const Json& json, std::size_t indent);

/// What follows "key:" or "-".
void append_value(std::string& text, const Json& json, std::size_t indent) {
  if (json.is_array() && all_single(json)) {
    text += " " + flow_text(json) + "\n";
  } else if (json.is_object() && json.empty()) {
    text += " {}\n";
  } else if (json.is_structured()) {
    text += "\n";
    append(text, json, indent);
  } else {
    text += " " + scalar_text(json) + "\n";
  }
}

void append(std::string& text, const Json& json, std::size_t indent) {
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      text.append(indent, ' ') += key + ":";
      append_value(text, value, indent + 2);
    }
    return;
  }
  for (const Json& item : json) {
    std::string lines;
    if (item.is_object() && !item.empty()) {
      // The first key stands behind the dash.
      append(lines, item, indent + 2);
      lines[indent] = '-';
    } else {
      lines.append(indent, ' ') += "-";
      append_value(lines, item, indent + 2);
    }
    text += lines;
  }
}

}  // namespace

std::string yaml_text(const Json& json) {
  std::string text;
  append(text, json, 0);
  return text;
}

}  // namespace ringside::pipeline
