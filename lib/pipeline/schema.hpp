// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The file format, version 1: every key, what it may be, and what it means.
#pragma once

#include <vector>

#include "lib/pipeline/config.hpp"
#include "lib/pipeline/value_type.hpp"

namespace ringside::pipeline {

/// Of the whole file.
const TypeOf<Config>& config_type();

/// Parts that config_type() is made of.
TypeOf<std::vector<Stage>> stages_type();
TypeOf<std::vector<Interface>> interfaces_type();
TypeOf<std::vector<Pipeline>> pipelines_type();

}  // namespace ringside::pipeline
