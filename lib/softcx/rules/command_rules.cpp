// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Rules of commands: what firmware refuses with a status and a syndrome.
#include "lib/softcx/rules/table.hpp"

namespace softcx {
namespace {

constexpr RuleEntry kRules[] = {
    {RuleId::kStillReferenced, "command.still-referenced",
     "An object is destroyed after all that name it.", "PRM, status BAD_RES_STATE",
     NicAnswer::kStatus},
};

}  // namespace

std::span<const RuleEntry> command_rules() noexcept {
  return kRules;
}

}  // namespace softcx
