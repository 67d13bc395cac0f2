// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the program pipeline needs beyond its queues, and the words by which it and the CPU talk, by
// loads and stores only. ProgramArgs::own points at PipelineArgs.
#pragma once

#include <cstdint>

#include "kernels/stages/chain.hpp"
#include "kernels/stages/sample.hpp"
#include "lib/device/tx_offload.hpp"

namespace ringside {

/// CPU -> kernel. The chain that packets go through, stored once it is complete in the GPU's
/// memory; the kernel takes it between two batches. It lies in the GPU's memory too, since the
/// kernel looks at it before each of them.
struct PipelineControl {
  const stages::Chain* chain;
};

/// Kernel -> CPU. The chain in use: no other is read any more, nor will be but the one that
/// PipelineControl has. Stored with release.
struct PipelineStatus {
  const stages::Chain* chain;
};

struct PipelineArgs {
  PipelineControl* control;
  PipelineStatus* status;
  /// [stages of the chain] Whole words, written after each batch, as StreamCounters are. They go on
  /// from what counters_here holds, which is block-owned GPU memory, zero at first.
  stages::StageCounters* counters;
  stages::StageCounters* counters_here;
  /// [as many as the stages have] GPU memory that the pipeline's blocks share, zero at first.
  std::uint64_t* words;
  stages::SampleRingState* ring_here;  ///< block-owned GPU memory, zero at first
  stages::SampleRing ring;             ///< slots == nullptr: no stage samples
  std::uint32_t source;                ///< which of the pipeline's receive queues is the block's
  TxOffload offload;                   ///< of its send queue, where the block has one
  std::uint64_t gather_ns;             ///< of its receive queue, where the block has one
};

}  // namespace ringside
