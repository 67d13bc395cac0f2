// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/rules/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace softcx {
namespace {

template <class Matches>
const RuleEntry* find(Matches matches) {
  const auto table = rule_table();
  const auto found = std::find_if(table.begin(), table.end(), matches);
  return found == table.end() ? nullptr : &*found;
}

std::string_view name_of(NicAnswer answer) {
  switch (answer) {
    case NicAnswer::kCompletion:
      return "error CQE";
    case NicAnswer::kStatus:
      return "refused";
    case NicAnswer::kNone:
      break;
  }
  return "none";
}

}  // namespace

std::span<const RuleEntry> rule_table() {
  // Never destroyed: rules are broken while static objects are destroyed, too.
  static const auto& table = *[] {
    auto* const all = new std::vector<RuleEntry>;
    for (const auto part : {data_rules(), command_rules()}) {
      all->insert(all->end(), part.begin(), part.end());
    }
    return all;
  }();
  return table;
}

const RuleEntry* find_rule(RuleId rule) {
  return find([rule](const RuleEntry& entry) { return entry.rule == rule; });
}

const RuleEntry* find_rule(std::string_view name) {
  return find([name](const RuleEntry& entry) { return entry.name == name; });
}

std::string rules_markdown() {
  std::string lines =
      "| rule | what has to hold | the NIC's answer | source |\n"
      "|---|---|---|---|\n";
  for (const RuleEntry& entry : rule_table()) {
    lines += fmt::format("| {} | {} | {} | {} |\n", entry.name, entry.text, name_of(entry.answer),
                         entry.source);
  }
  return lines;
}

}  // namespace softcx
