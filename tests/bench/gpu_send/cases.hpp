// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The senders that the benchmark compares.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/bench/gpu_send/bench_case.hpp"

namespace ringside::bench {

struct Contender {
  Case axes;
  std::function<Outcome(const Case&)> run;
};

class Rig;

/// lib/device's queues.
std::vector<Contender> ringside_cases(Rig& rig);
/// NVIDIA's open gpunetio headers, where meson was told where they are.
std::vector<Contender> peer_cases(Rig& rig);

/// The NIC model's faults that it did not notice when they were there.
std::vector<std::string> faults_not_noticed(Rig& rig);

}  // namespace ringside::bench
