// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "tests/bench/gpu_send/rig.cuh"

#include <algorithm>

namespace ringside::bench {

Rig::Rig() {
  check(cudaStreamCreateWithFlags(&model_, cudaStreamNonBlocking), "stream");
  check(cudaStreamCreateWithFlags(&posters_, cudaStreamNonBlocking), "stream");
  check(cudaEventCreate(&start_), "event");
  check(cudaEventCreate(&stop_), "event");
}

Rig::~Rig() {
  cudaEventDestroy(start_);
  cudaEventDestroy(stop_);
  cudaStreamDestroy(model_);
  cudaStreamDestroy(posters_);
}

Outcome Rig::outcome(const Case& axes, const std::vector<std::unique_ptr<RigQueue>>& queues) const {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start_, stop_), "event");
  Outcome outcome;
  outcome.seconds = static_cast<double>(milliseconds) * 1e-3;
  std::uint64_t claims = 0;
  for (std::size_t i = 0; i < queues.size(); ++i) {
    const ModelReport report = queues[i]->report.values()[0];
    for (std::uint32_t kind = 0; kind < static_cast<std::uint32_t>(Fault::kCount); ++kind) {
      if (report.faults[kind] == 0) continue;
      outcome.faults.push_back("queue " + std::to_string(i) + ": " +
                               std::to_string(report.faults[kind]) + " " + kFaultNames[kind] +
                               ", first at WQE " + std::to_string(report.first_bad));
    }
    if (report.wqes != axes.wqes_a_queue()) {
      outcome.faults.push_back("queue " + std::to_string(i) + ": " + std::to_string(report.wqes) +
                               " of " + std::to_string(axes.wqes_a_queue()) + " WQEs arrived");
    }
    const double share =
        static_cast<double>(report.idle_ns) /
        static_cast<double>(std::max<std::uint64_t>(report.last_ns - report.first_ns, 1));
    outcome.nic_idle = i == 0 ? share : std::min(outcome.nic_idle, share);
    claims += report.claims;
  }
  outcome.wqes_a_look = static_cast<double>(axes.wqes_a_queue() * queues.size()) /
                        static_cast<double>(std::max<std::uint64_t>(claims, 1));
  return outcome;
}

}  // namespace ringside::bench
