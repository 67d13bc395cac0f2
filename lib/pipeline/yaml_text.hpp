// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#pragma once

#include <string>

#include "lib/pipeline/value_type.hpp"

namespace ringside::pipeline {

/// Block style, lists of single values in brackets. Words that a reader of YAML 1.1 or 1.2 could
/// take for anything else are quoted.
std::string yaml_text(const Json& json);

}  // namespace ringside::pipeline
