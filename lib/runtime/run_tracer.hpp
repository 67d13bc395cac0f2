// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The traces of a data path's runs: a tracer a stream, and what they have found of a run.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "lib/runtime/forward_mode.hpp"
#include "lib/runtime/stream_tracer.hpp"

namespace ringside {

class RunTracer {
 public:
  /// `config` must live longer.
  explicit RunTracer(const RuntimeConfig& config) : config_(config) {}

  /// Whether the configuration asks for traces. Where not, nothing below does anything.
  bool on() const noexcept { return !config_.trace_file.empty(); }
  /// StreamTracer's arguments, of each stream in its turn. Throws Error.
  void add(GpuDevice& gpu, const StampClock& rx_nic, const StampClock& tx_nic,
           const StreamQueues& queues);
  /// Throws usage_error: a kernel that is not one of a forwarding mode's cannot be traced.
  void refuse(std::string_view kernel) const;
  /// Puts the kernel that traces `mode` in the place of its own, in a launch of a block a stream.
  /// What the run before has left goes. Throws usage_error where there is none for the mode, Error
  /// where the trace's file cannot be written.
  void trace(ProgramLaunch& launch, const ForwardMode& mode);
  /// The launch has succeeded.
  void run_began();
  /// StreamTracer::read_clocks(), of a run that is traced.
  void read_clocks();
  /// DatapathEngine::save_trace(). `running`: another one is to follow.
  void save(bool running);
  /// DatapathEngine::take_latency_report()
  std::string take_latency_report() { return std::exchange(latency_report_, {}); }

 private:
  const RuntimeConfig& config_;
  std::deque<StreamTracer> tracers_;  ///< of the streams
  bool traces_ = false;               ///< the run does, or its trace has yet to be saved
  std::string latency_report_;
};

}  // namespace ringside
