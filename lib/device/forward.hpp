// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The persistent kernel's loop, the same for all packet programs.
#pragma once

#include "lib/device/block.hpp"
#include "lib/device/program.hpp"
#include "lib/device/stream.hpp"

namespace ringside {

/// Serves a stream until its exit word is set or one of its queues stops on an error: receives,
/// runs the program on each packet, sends. Called by all threads of the block; returns in all.
///
/// A batch is never larger than the room in the send queue, so no packet in hand ever waits: a
/// send queue that stalls leaves packets with the NIC, which counts them as out_of_buffer.
/// Order is kept. First sends stream.first_burst frames of its own, where the program sends.
///
/// A kernel that takes packets over, or hands them over, has a ring for a queue; the same holds of
/// it. One whose send queue stops closes its ring behind it, so that the kernels before end too.
///
/// With stream.recovers, a block whose queue stops waits for the CPU to reset it, and goes on with
/// an empty queue (lib/mlx5/format/recovery.hpp); without, and where the CPU gives up, it ends.
///
/// After exit nothing new is received; sends are awaited for stream.drain_ns. The phase ends as
/// kFinished, or as kFailed with the error in the status words.
template <Program P, Block B>
RS_DEVICE void forward(B& block, const StreamArgs& stream);

}  // namespace ringside

#include "lib/device/impl/forward.hpp"
