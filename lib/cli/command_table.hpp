// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Every command in one place: its section, syntax, help and action.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "lib/cli/session.hpp"

namespace ringside::cli {

using Words = std::span<const std::string_view>;

struct Command {
  std::string_view section;
  std::string_view syntax;  ///< lib/cli/syntax.hpp
  std::string_view help;
  /// `words`: the line, which fits the syntax. May throw Error.
  void (*run)(Session& session, Words words);
};

struct Section {
  std::string_view name;
  std::string_view title;
};

inline constexpr std::array kSections = {
    Section{"control", "Start and stop forwarding"},
    Section{"display", "Displaying ports, statistics and configuration"},
    Section{"config", "Configuration"},
    Section{"ports", "Starting and stopping ports"},
};

std::span<const Command> command_table();

/// The sections, and what `help SECTION` and `help all` print; empty for an unknown section.
std::string help_overview();
std::string help_section(std::string_view name);

}  // namespace ringside::cli
