// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Refusing a command, by a rule whose number the answer carries as its syndrome.
#pragma once

#include <fmt/core.h>

#include <string>

#include "lib/softcx/rules/rule.hpp"

namespace softcx {

using Rule = RuleId;

/// Thrown by handlers; execute() turns it into the status of the rule, a syndrome and a log line.
struct CommandRefusal {
  Rule rule;
  std::string text;
};

template <class... Args>
[[noreturn]] void refuse(Rule rule, fmt::format_string<Args...> format, Args&&... args) {
  throw CommandRefusal{rule, fmt::format(format, std::forward<Args>(args)...)};
}

}  // namespace softcx
