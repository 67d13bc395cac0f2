// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a single value cannot say: how the parts of a file fit together, and to the machine. Each
// rule complains at the path of the value to change. A file that has errors already is looked at
// too; references in it may be kUnresolved.
#pragma once

#include <string>

#include "lib/pipeline/config.hpp"
#include "lib/pipeline/machine.hpp"
#include "lib/pipeline/problems.hpp"

namespace ringside::pipeline {

struct RuleContext {
  const Config& config;
  const Machine* machine;  ///< null: do not compare
  std::string folder;      ///< that files to read are relative to
  bool to_run;             ///< not by the format alone
  Problems& problems;
};

void check_cores(const RuleContext& context);
void check_regions(const RuleContext& context);
void check_gpus(const RuleContext& context);
void check_interfaces(const RuleContext& context);
void check_flows(const RuleContext& context);
void check_tables(const RuleContext& context);
void check_queue_owners(const RuleContext& context);
void check_stages(const RuleContext& context);
void check_chains(const RuleContext& context);
void check_headers(const RuleContext& context);
void check_striding(const RuleContext& context);
void check_sinks(const RuleContext& context);
void check_generator(const RuleContext& context);
/// Last: says nothing of what is wrong already.
void check_plan(const RuleContext& context);

/// All of them.
void check_rules(const RuleContext& context);

}  // namespace ringside::pipeline
