// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A checked configuration as the runtime takes it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "lib/device/tx_offload.hpp"
#include "lib/pipeline/config.hpp"
#include "lib/runtime/runtime.hpp"

namespace ringside::pipeline {

/// A block: which pipeline it runs, and what it joins.
struct PlannedStream {
  std::size_t pipeline;
  StreamQueues queues;      ///< ports are indices of interfaces
  TxOffload offload;        ///< of the send queue
  std::uint64_t gather_ns;  ///< of the receive queue
};

/// A block that makes frames: whose, and for which of its queues.
struct PlannedSource {
  std::size_t generator;
  std::size_t queue;
  TxOffload offload;  ///< of that queue
};

struct Plan {
  RuntimeConfig runtime;
  std::vector<PlannedStream> streams;  ///< in the order of runtime.streams
  std::vector<PlannedSource> sources;  ///< and these behind them
};

/// Of a file with an interface and a region, and errors perhaps: all that is of queues, buffers and
/// GPUs.
void set_queues(const Config& config, RuntimeConfig& runtime);
/// Of a file without errors, whose queues are set.
void set_streams(const Config& config, Plan& plan);

/// Of a file without errors. `eal_arguments`: the user's, behind those of the file. Throws
/// usage_error for flows that rte_flow has no pattern for.
Plan make_plan(const Config& config, std::span<const std::string> eal_arguments);

}  // namespace ringside::pipeline
