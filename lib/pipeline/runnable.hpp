// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Files that are to be run: what the data path's own checks refuse, and memory that the machine has
// not, are problems too.
#pragma once

#include <string>

#include "lib/pipeline/load.hpp"

namespace ringside::pipeline {

/// See load_file(). `machine`: what to compare with, or null.
Loaded load_runnable(const std::string& file, const Machine* machine);

}  // namespace ringside::pipeline
