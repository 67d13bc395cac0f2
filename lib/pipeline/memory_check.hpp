// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A configuration's footprint against what a machine has.
#pragma once

#include "lib/pipeline/config.hpp"
#include "lib/pipeline/machine.hpp"
#include "lib/pipeline/problems.hpp"

namespace ringside::pipeline {

/// Last of all rules: where there are errors, stages may lead nowhere, and only the queues' memory
/// is looked at. What a machine has in all but not free now is a warning, and so is what a GPU may
/// have beyond what the NIC reaches of it.
void check_memory(const Config& config, const Machine& machine, Problems& problems);

}  // namespace ringside::pipeline
