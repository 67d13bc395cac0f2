// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The threads of a kernel of the host GPU, of which its memory knows for as long as they run.
#pragma once

#include <memory>

#include "lib/gpu/block_threads.hpp"
#include "lib/gpu/host_memory.hpp"

namespace ringside {

/// As BlockThreads' constructor. `memory`, which outlives them, is told that a kernel runs until
/// the last thread ends. Throws Error.
std::unique_ptr<BlockThreads> start_host_threads(const BlockThreads::Config& config,
                                                 BlockThreads::Body body, HostMemory& memory);

}  // namespace ringside
