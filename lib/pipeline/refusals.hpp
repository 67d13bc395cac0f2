// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What only shows when a file that is right is laid out for the data path.
#pragma once

#include "lib/pipeline/load.hpp"

namespace ringside::pipeline {

/// Adds to the problems of a file without errors what `ringside run` would refuse for a reason in
/// the file alone. Starts nothing.
void add_refusals(Loaded& loaded, const std::string& file);

}  // namespace ringside::pipeline
