// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#pragma once

#include <string>

#include "lib/pipeline/config.hpp"

namespace ringside::pipeline {

/// Everything that a file without errors may leave out: numbers for auto, a kernel for a
/// pipeline's stages, names of stages. Files to read, relative to `folder`, become absolute.
void fill_in(Config& config, const std::string& folder);

}  // namespace ringside::pipeline
