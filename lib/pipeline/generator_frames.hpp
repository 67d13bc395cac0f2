// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A generator of the file as its kernel takes it.
#pragma once

#include <cstddef>

#include "kernels/generator_args.hpp"
#include "lib/pipeline/config.hpp"

namespace ringside::pipeline {

/// For send queue number `queue` of the generator. `addresses`: of the frames, where the file says
/// none.
GeneratorArgs generator_args(const Generator& generator, std::size_t queue,
                             const ProgramArgs& addresses);

}  // namespace ringside::pipeline
