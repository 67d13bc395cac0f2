// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/rules/table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace softcx {
namespace {

template <class Matches>
const RuleEntry* find(Matches matches) {
  const auto table = rule_table();
  const auto found = std::find_if(table.begin(), table.end(), matches);
  return found == table.end() ? nullptr : &*found;
}

std::string_view name_of(ringside::prm::Status status) {
  using ringside::prm::Status;
  switch (status) {
    case Status::kBadOpcode:
      return "BAD_OP";
    case Status::kBadParameter:
      return "BAD_PARAM";
    case Status::kBadResource:
      return "BAD_RES";
    case Status::kResourceBusy:
      return "RES_BUSY";
    case Status::kExceedsLimit:
      return "EXCEED_LIM";
    case Status::kBadResourceState:
      return "BAD_RES_STATE";
    case Status::kNoResources:
      return "NO_RES";
    case Status::kBadInputLength:
      return "BAD_INP_LEN";
    case Status::kBadOutputLength:
      return "BAD_OUTP_LEN";
    default:
      return "";
  }
}

std::string answer_of(const RuleEntry& entry) {
  switch (entry.answer) {
    case NicAnswer::kCompletion:
      return "error CQE";
    case NicAnswer::kStatus:
      return fmt::format("{} (0x{:02x}), syndrome 0x{:06x}", name_of(entry.status),
                         static_cast<unsigned>(entry.status), static_cast<unsigned>(entry.rule));
    case NicAnswer::kErrno:
      return ::strerrorname_np(entry.error_number);
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
    for (const auto part : {data_rules(), command_rules(), steering_rules()}) {
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
    lines += fmt::format("| {} | {} | {} | {} |\n", entry.name, entry.text, answer_of(entry),
                         entry.source);
  }
  return lines;
}

}  // namespace softcx
