// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/run_tracer.hpp"

#include <vector>

#include "kernels/traced.hpp"
#include "lib/base/error.hpp"
#include "lib/runtime/trace_file.hpp"

namespace ringside {
namespace {

constexpr const char* kTraceable =
    "set fwd io, mac, macswap, rxonly or txonly, or leave --trace out";

}  // namespace

void RunTracer::add(GpuDevice& gpu, const StampClock& rx_nic, const StampClock& tx_nic,
                    const StreamQueues& queues) {
  if (on()) tracers_.emplace_back(gpu, rx_nic, tx_nic, queues, config_.trace_events);
}

void RunTracer::refuse(std::string_view kernel) const {
  if (on()) throw usage_error(fmt::format("kernel {} cannot be traced", kernel), kTraceable);
}

void RunTracer::trace(ProgramLaunch& launch, const ForwardMode& mode) {
  if (!on()) return;
  const std::uint32_t number = Traced::number_of(mode.name);
  if (number == Traced::kPrograms) {
    throw usage_error(fmt::format("mode {} cannot be traced", mode.name), kTraceable);
  }
  check_trace_file(config_.trace_file);
  traces_ = false;
  launch.kernel = Traced::kName;
  for (ProgramBlock& block : launch.blocks) {
    StreamTracer& tracer = tracers_[block.stream];
    tracer.begin(number, LatencySpan::of(mode.receives, mode.sends));
    block.own = tracer.own();
  }
}

void RunTracer::run_began() {
  traces_ = on();
  read_clocks();
}

void RunTracer::read_clocks() {
  if (!traces_) return;
  for (StreamTracer& tracer : tracers_) tracer.read_clocks();
}

void RunTracer::save(bool running) {
  if (!traces_) return;
  std::vector<TracedStream> traced;
  for (const StreamTracer& tracer : tracers_) traced.push_back(tracer.end());
  latency_report_ = latency_table(traced);
  write_trace(config_.trace_file, traced);
  traces_ = running;
}

}  // namespace ringside
