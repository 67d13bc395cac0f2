// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#pragma once

#include <string>

#include "lib/pipeline/field.hpp"
#include "lib/pipeline/value_type.hpp"

namespace ringside::pipeline {

/// Complains of headers that no packet has together, at the path of one of them.
void refuse_impossible(const Match& match, const std::string& path, Reading& reading);

}  // namespace ringside::pipeline
