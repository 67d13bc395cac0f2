// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The persistent kernel's loop for striding receive queues, of programs that send nothing.
#pragma once

#include "lib/device/block.hpp"
#include "lib/device/program.hpp"
#include "lib/device/stream.hpp"

namespace ringside {

/// Serves a stream as forward() does, from a striding receive queue: receives, runs the program on
/// each packet, gives buffers back. Called by all threads of the block; returns in all.
///
/// What was received is released in the same pass, so no packet keeps its buffer, and the others in
/// it, longer than a batch. A batch of a program that gathers waits for gather_ns() at most.
template <Program P, WholeBlock B>
RS_DEVICE void serve_strides(B& block, const StreamArgs& stream);

}  // namespace ringside

#include "lib/device/impl/strided.hpp"
