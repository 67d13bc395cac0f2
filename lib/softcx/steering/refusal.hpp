// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What steering refuses, by a rule that says which errno rdma-core's mlx5dv_dr_* would set.
#pragma once

#include <string>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/softcx/rules/table.hpp"

namespace softcx {

class Refusal : public ringside::Error {
 public:
  Refusal(RuleId id, std::string what) : Error(std::move(what), {}), rule(*find_rule(id)) {}

  const RuleEntry& rule;
};

}  // namespace softcx
