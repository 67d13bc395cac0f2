// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The notation that commands are written in: words in order, alternatives with |, and <port>,
// <count>, <mode>, <section> for values. "show port stats <port>|all" is one. Matching, help and
// completion all read it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::cli {

struct Match {
  std::size_t words;  ///< leading words of the line that fit
  bool complete;      ///< the line is this command, no word more or less
};

Match match_syntax(std::string_view syntax, std::span<const std::string_view> words);

/// What can stand for <port>, <mode>, ... at present; `kind` is without the angle brackets.
using Values = std::function<std::vector<std::string>(std::string_view kind)>;

/// Words that may follow `before` in this command and begin with `partial`.
std::vector<std::string> next_words(std::string_view syntax,
                                    std::span<const std::string_view> before,
                                    std::string_view partial, const Values& values);

/// "show port stats (<port>|all)"
std::string readable_syntax(std::string_view syntax);

}  // namespace ringside::cli
