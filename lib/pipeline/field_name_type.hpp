// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Fields by their names: ipv4.src, or inner.ipv4.src of what a tunnel carries.
#pragma once

#include "lib/pipeline/stages.hpp"
#include "lib/pipeline/value_type.hpp"

namespace ringside::pipeline {

TypeOf<FieldName> field_name();

}  // namespace ringside::pipeline
