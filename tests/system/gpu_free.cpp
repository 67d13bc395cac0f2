// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Frees GPU memory beside a port whose packets are on the same GPU, under `softcx run` with a
// capture that is replayed for ever: while packets move, and when all is quiet. CUDA waits for
// resident kernels in a free of 4 MiB; softcx's copy kernel must not keep it waiting.
// Arguments: EAL's.
#include <fmt/core.h>
#include <rte_gpudev.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/base/error.hpp"
#include "lib/runtime/runtime.hpp"

namespace {

using ringside::monotonic_ns;

constexpr std::size_t kBytes = 4U << 20;
constexpr std::uint64_t kLimitNs = 1'000'000'000;
constexpr int kTimes = 20;

/// The longest free.
std::uint64_t free_often(const char* when) {
  std::uint64_t longest = 0;
  for (int i = 0; i < kTimes; ++i) {
    void* const memory = rte_gpu_mem_alloc(0, kBytes, 0);
    if (memory == nullptr) throw ringside::Error("no GPU memory", "");
    ::usleep(3000);
    const std::uint64_t begin = monotonic_ns();
    if (rte_gpu_mem_free(0, memory) != 0) throw ringside::Error("the free is refused", "");
    longest = std::max(longest, monotonic_ns() - begin);
  }
  fmt::print("{}: the longest of {} frees took {} us\n", when, kTimes, longest / 1000);
  return longest;
}

void run(std::vector<std::string> eal) {
  ringside::RuntimeConfig config;
  config.eal_args = std::move(eal);
  config.mempool = ringside::MempoolKind::kGpu;
  config.datapath = ringside::Datapath::kCpu;
  const auto runtime = ringside::Runtime::create(config);
  const std::uint16_t port = runtime->ports().at(0);
  runtime->start_forwarding(0);
  const std::uint64_t begin = monotonic_ns();
  while (runtime->port_stats(port).tx_packets < 10'000) {
    if (monotonic_ns() - begin > 10 * kLimitNs) throw ringside::Error("no packets move", "");
  }
  std::uint64_t longest = free_often("packets move");
  const std::uint64_t sent = runtime->port_stats(port).tx_packets;
  runtime->stop_forwarding();
  longest = std::max(longest, free_often("the port is open"));
  fmt::print("{} packets sent\n", sent);
  runtime->close([](const char*) {});
  if (longest > kLimitNs) throw ringside::Error("a free took longer than a second", "");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run({argv, argv + argc});
    return 0;
  } catch (const ringside::Error& error) {
    fmt::print(stderr, "gpu_free: {}\n", error.what());
    return 1;
  }
}
