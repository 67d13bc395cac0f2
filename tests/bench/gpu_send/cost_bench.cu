// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What each call of the device API costs in SM cycles, by scope, sharing and threads of the block:
// sends with the NIC model of gpu_send_bench at the other end, receives and semaphores; beside
// NVIDIA's open gpunetio calls where the build had its headers. Prints a line a cost; --output FILE
// writes them as JSON, too. Fails if the model finds a WQE lost or wrong.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "tests/bench/gpu_send/cost.hpp"
#include "tests/bench/gpu_send/rig.cuh"

namespace ringside::bench {
namespace {

void print(const Cost& cost) {
  std::printf("%-8s %-9s %-19s %-9s %-6s x %4u: %9.1f cycles a %s", cost.who.c_str(),
              cost.queue.c_str(), cost.call.c_str(), cost.sharing.c_str(), cost.scope.c_str(),
              cost.threads, cost.cycles, cost.unit.c_str());
  if (cost.interval != 0) std::printf(", one every %.1f", cost.interval);
  std::printf("\n");
  for (const std::string& fault : cost.faults) std::printf("  FAULT %s\n", fault.c_str());
}

void write_json(const char* path, const std::vector<Cost>& costs) {
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) throw std::runtime_error(std::string("cannot write ") + path);
  std::fprintf(file, "[");
  const char* comma = "";
  for (const Cost& cost : costs) {
    std::fprintf(file,
                 "%s\n {\"who\": \"%s\", \"queue\": \"%s\", \"call\": \"%s\", \"sharing\": \"%s\", "
                 "\"scope\": \"%s\", \"threads\": %u, \"unit\": \"%s\", \"cycles\": %.1f, "
                 "\"interval\": %.1f}",
                 comma, cost.who.c_str(), cost.queue.c_str(), cost.call.c_str(),
                 cost.sharing.c_str(), cost.scope.c_str(), cost.threads, cost.unit.c_str(),
                 cost.cycles, cost.interval);
    comma = ",";
  }
  std::fprintf(file, "\n]\n");
  std::fclose(file);
}

int run(const char* output) {
  Rig rig;
  std::vector<Cost> costs = ringside_costs(rig);
  for (auto& more : {peer_costs(rig), receive_costs(), semaphore_costs()}) {
    costs.insert(costs.end(), more.begin(), more.end());
  }
  bool failed = false;
  for (const Cost& cost : costs) {
    print(cost);
    failed = failed || !cost.faults.empty();
  }
  if (output != nullptr) write_json(output, costs);
  return failed ? 1 : 0;
}

}  // namespace
}  // namespace ringside::bench

int main(int argc, char** argv) {
  const bool has_output = argc == 3 && std::strcmp(argv[1], "--output") == 0;
  if (argc != 1 && !has_output) {
    std::fprintf(stderr, "usage: %s [--output FILE]\n", argv[0]);
    return 2;
  }
  setenv("CUDA_MODULE_LOADING", "EAGER", 1);  // see gpu_send_bench
  try {
    return ringside::bench::run(has_output ? argv[2] : nullptr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu_send_cost: %s\n", error.what());
    return 1;
  }
}
