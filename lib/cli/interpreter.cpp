// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/cli/interpreter.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.hpp"
#include "lib/cli/command_table.hpp"
#include "lib/cli/syntax.hpp"
#include "lib/cli/text.hpp"

namespace ringside::cli {
namespace {

/// All words that `values` allows after `before`, sorted, each once.
std::vector<std::string> all_next_words(Words before, std::string_view partial,
                                        const Values& values) {
  std::vector<std::string> found;
  for (const Command& command : command_table()) {
    for (std::string& word : next_words(command.syntax, before, partial, values)) {
      found.push_back(std::move(word));
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

// Of both refusals the first line is testpmd's, for scripts, and the second is for people.

void refuse_arguments(Session& session, Words words, std::size_t fitting) {
  const Words before = words.first(fitting);
  const auto expected = all_next_words(before, {}, [](std::string_view kind) {
    return std::vector<std::string>{fmt::format("<{}>", kind)};
  });
  const std::string begin = fmt::format("\"{}\"", fmt::join(before, " "));
  if (expected.empty()) {
    session.out().print("Bad arguments\nNothing can come after {}.\n", begin);
    return;
  }
  const std::string found =
      fitting < words.size() ? fmt::format(", not {}", in_quotes(words[fitting])) : std::string{};
  session.out().print("Bad arguments\nAfter {} can come {}{}.\n", begin, either_of(expected),
                      found);
}

void refuse_command(Session& session, std::string_view verb) {
  std::vector<std::string_view> verbs;
  for (const Command& command : command_table()) {
    verbs.push_back(command.syntax.substr(0, command.syntax.find(' ')));
  }
  const std::string_view near = nearest(verb, verbs);
  session.out().print(
      "Command not found\n{}: {}\n", in_quotes(verb),
      near.empty() ? "help lists the commands." : fmt::format("did you mean {}?", near));
}

std::vector<std::string> values_of(Session& session, std::string_view kind) {
  std::vector<std::string> values;
  if (kind == "port") {
    for (const std::uint16_t port : session.runtime().ports()) {
      values.push_back(std::to_string(port));
    }
  } else if (kind == "mode") {
    values = session.runtime().forward_modes();
  } else if (kind == "section") {
    for (const Section& section : kSections) values.emplace_back(section.name);
    values.emplace_back("all");
  }
  return values;
}

}  // namespace

void execute(Session& session, std::string_view line) {
  if (line.size() > kMaxLineLength) {
    session.out().print("Bad arguments\nThe line is longer than {} bytes.\n", kMaxLineLength);
    return;
  }
  const auto words = split_words(line);
  if (words.empty()) return;
  std::size_t fitting = 0;
  for (const Command& command : command_table()) {
    const Match match = match_syntax(command.syntax, words);
    if (match.complete) {
      try {
        command.run(session, words);
      } catch (const Error& error) {
        session.out().print("{}\n", error.what());
      }
      return;
    }
    fitting = std::max(fitting, match.words);
  }
  if (fitting == 0) {
    refuse_command(session, words.front());
  } else {
    refuse_arguments(session, words, fitting);
  }
}

std::vector<std::string> complete(Session& session, std::string_view line) {
  auto words = split_words(line);
  std::string_view partial;
  if (!words.empty() && words.back().end() == line.end()) {
    partial = words.back();
    words.pop_back();
  }
  return all_next_words(words, partial,
                        [&session](std::string_view kind) { return values_of(session, kind); });
}

}  // namespace ringside::cli
