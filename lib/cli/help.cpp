// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <fmt/core.h>

#include "lib/cli/command_table.hpp"
#include "lib/cli/syntax.hpp"

namespace ringside::cli {

std::string help_overview() {
  std::string text = "\nSections of the help:\n\n";
  for (const Section& section : kSections) {
    text += fmt::format("    help {:<27}: {}.\n", section.name, section.title);
  }
  return text + fmt::format("    help {:<27}: Every command.\n\n", "all");
}

std::string help_section(std::string_view name) {
  std::string text;
  for (const Section& section : kSections) {
    if (name != "all" && name != section.name) continue;
    text += fmt::format("\n{}:\n{:-<{}}\n\n", section.title, "", section.title.size() + 1);
    for (const Command& command : command_table()) {
      if (command.section != section.name) continue;
      text += fmt::format("{}\n    {}\n\n", readable_syntax(command.syntax), command.help);
    }
  }
  return text;
}

}  // namespace ringside::cli
