// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/rules.hpp"

namespace ringside::pipeline {

void check_rules(const RuleContext& context) {
  check_cores(context);
  check_regions(context);
  check_gpus(context);
  check_interfaces(context);
  check_flows(context);
  check_tables(context);
  check_queue_owners(context);
  check_stages(context);
  check_chains(context);
  check_headers(context);
  check_striding(context);
  check_sinks(context);
  check_generator(context);
  if (context.to_run) check_plan(context);
}

}  // namespace ringside::pipeline
