// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Ranges of the fields that a generator's frames differ in: {ipv4: {src: 10.0.0.1-10.0.0.9}}.
#pragma once

#include <vector>

#include "lib/pipeline/field.hpp"
#include "lib/pipeline/value_type.hpp"

namespace ringside::pipeline {

TypeOf<std::vector<FieldRange>> field_ranges();

}  // namespace ringside::pipeline
