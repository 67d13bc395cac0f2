// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Refusing a command, by a rule whose number the answer carries as its syndrome.
#pragma once

#include <fmt/format.h>

#include <string>

#include "lib/mlx5/format/prm_command.hpp"
#include "lib/softcx/rules/rule.hpp"

namespace softcx {

using Rule = RuleId;

/// Thrown by handlers; execute() turns it into status, syndrome and a log line.
struct CommandRefusal {
  ringside::prm::Status status;
  Rule rule;
  std::string text;
};

template <class... Args>
[[noreturn]] void refuse(ringside::prm::Status status, Rule rule,
                         fmt::format_string<Args...> format, Args&&... args) {
  throw CommandRefusal{status, rule, fmt::format(format, std::forward<Args>(args)...)};
}

}  // namespace softcx
