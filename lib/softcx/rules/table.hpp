// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What `softcx run --sanitize` judges by: one table, from which reports take their names and
// sources, and `softcx rules` prints.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lib/mlx5/format/prm_command.hpp"
#include "lib/softcx/rules/rule.hpp"

namespace softcx {

/// How a program learns that it has broken a rule, where nobody sanitizes.
enum class NicAnswer : std::uint8_t {
  kCompletion,  ///< an error CQE
  kStatus,      ///< its command is refused, with the rule's number for a syndrome
  kErrno,       ///< its call fails: by rdma-core or the kernel, not by firmware
  kNone,        ///< not at all: hardware would corrupt memory, or lose what was posted
};

struct RuleEntry {
  RuleId rule;
  std::string_view name;    ///< what it is about, then a dot: "send.ds-count"
  std::string_view text;    ///< what has to hold, in one line
  std::string_view source;  ///< where that is written
  NicAnswer answer;
  ringside::prm::Status status = ringside::prm::Status::kOk;  ///< kStatus
  int error_number = 0;                                       ///< kErrno
};

/// All rules, in the order of the parts that follow.
std::span<const RuleEntry> rule_table();
/// nullptr: not in the table.
const RuleEntry* find_rule(RuleId rule);
const RuleEntry* find_rule(std::string_view name);

/// The table as Markdown, a line a rule.
std::string rules_markdown();

/// Its parts: rules of queues and memory in use, of commands, and of steering calls.
std::span<const RuleEntry> data_rules() noexcept;
std::span<const RuleEntry> command_rules() noexcept;
std::span<const RuleEntry> steering_rules() noexcept;

}  // namespace softcx
