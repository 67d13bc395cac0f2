// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Receive-to-send turn-around: from the CPU's write of a receive CQE to its sight of the doorbell
// of the send, rings in pinned memory, through the persistent kernels and through the bare sequence
// of memory operations that no kernel can do without. JSON to stdout, nanoseconds.
//
//   gpu_turnaround_bench [ROUNDS [THREADS...]]
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/base/error.hpp"
#include "lib/base/relax.hpp"
#include "tests/bench/gpu/turnaround_kernels.hpp"
#include "tests/bench/gpu/turnaround_nic.hpp"

namespace ringside::bench {
namespace {

/// Between two packets, so that each finds the kernel waiting, at any point of its poll.
constexpr std::uint64_t kGapNs = 6000;
constexpr std::uint64_t kJitterNs = 4000;
/// Where the rings happen to lie makes 0.15 us of difference, so there are many places a case: with
/// few, which of two sequences had the better ones showed in their ratio.
constexpr std::size_t kPlaces = 32;

struct Case {
  Work work;
  Memory packets;
  std::uint32_t threads;  ///< 0: the bare sequence
  std::uint64_t gap_ns;
};

struct Times {
  std::uint64_t min;
  std::uint64_t p50;
  std::uint64_t p99;
};

void check(cudaError_t result, const char* action) {
  if (result != cudaSuccess) {
    throw Error(fmt::format("cannot {}: {}", action, cudaGetErrorString(result)), "");
  }
}

void pause_for(std::uint64_t ns) {
  const std::uint64_t until = monotonic_ns() + ns;
  while (monotonic_ns() < until) cpu_pause();
}

/// A kernel that does not end holds the memory that it uses: then the program ends here.
void end_kernel(TurnaroundNic& nic) {
  nic.set_exit();
  nic.write_error();
  const Deadline deadline = Deadline::after_ms(2000);
  while (cudaStreamQuery(nullptr) == cudaErrorNotReady) {
    if (deadline.passed()) {
      std::fprintf(stderr, "gpu_turnaround_bench: the kernel does not end\n");
      std::_Exit(1);
    }
    cpu_pause();
  }
  check(cudaDeviceSynchronize(), "end a kernel");
}

/// Takes some rounds in memory of their own.
void measure(const Case& one, std::span<std::uint64_t> times) {
  TurnaroundNic nic(one.packets);
  const bool bare = one.threads == 0;
  check(bare ? launch_bare(one.work, nic.stream())
             : launch_forward(one.work, nic.stream(), one.threads),
        "launch a kernel");
  std::uint32_t random = 1;
  try {
    for (std::uint64_t& time : times) {
      time = nic.turn_around(!bare);
      if (one.gap_ns == 0) continue;
      random = random * 1664525U + 1013904223U;
      pause_for(one.gap_ns + (std::uint64_t{random} * kJitterNs >> 32));
    }
  } catch (const Error&) {
    end_kernel(nic);
    throw;
  }
  end_kernel(nic);
}

Times measure(const Case& one, std::size_t rounds) {
  std::vector<std::uint64_t> times(rounds);
  for (std::size_t place = 0; place < kPlaces; ++place) {
    const std::size_t first = rounds * place / kPlaces;
    const std::size_t end = rounds * (place + 1) / kPlaces;
    measure(one, std::span(times).subspan(first, end - first));
  }
  std::ranges::sort(times);
  return {times.front(), times[rounds / 2], times[rounds * 99 / 100]};
}

const char* name(Work work) {
  return work == Work::kIo ? "io" : "macswap";
}
const char* name(Memory memory) {
  return memory == Memory::kPinned ? "pinned" : "device";
}

void run(std::size_t rounds, const std::vector<std::uint32_t>& threads) {
  cudaDeviceProp gpu{};
  check(cudaGetDeviceProperties(&gpu, 0), "read the GPU's properties");
  std::printf("{\"bench\": \"gpu_turnaround\", \"gpu\": \"%s\", \"rounds\": %zu, \"results\": [",
              gpu.name, rounds);
  const char* separator = "";
  for (const std::uint64_t gap_ns : {kGapNs, std::uint64_t{0}}) {
    for (const Memory packets : {Memory::kDevice, Memory::kPinned}) {
      for (const Work work : {Work::kIo, Work::kMacSwap}) {
        for (const std::uint32_t block : threads) {
          const Times times = measure({work, packets, block, gap_ns}, rounds);
          std::printf(
              "%s\n  {\"program\": \"%s\", \"packets\": \"%s\", \"sequence\": \"%s\", \"threads\": "
              "%u, \"gap_ns\": %llu, \"min\": %llu, \"p50\": %llu, \"p99\": %llu}",
              separator, name(work), name(packets), block == 0 ? "bare" : "forward",
              block == 0 ? 32 : block, static_cast<unsigned long long>(gap_ns),
              static_cast<unsigned long long>(times.min),
              static_cast<unsigned long long>(times.p50),
              static_cast<unsigned long long>(times.p99));
          std::fflush(stdout);
          separator = ",";
        }
      }
    }
  }
  std::printf("\n]}\n");
}

}  // namespace
}  // namespace ringside::bench

int main(int argc, char** argv) {
  const std::size_t rounds = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100'000;
  std::vector<std::uint32_t> threads{0};
  for (int i = 2; i < argc; ++i) {
    threads.push_back(static_cast<std::uint32_t>(std::strtoul(argv[i], nullptr, 10)));
  }
  if (threads.size() == 1) threads.push_back(64);
  try {
    ringside::bench::run(std::max<std::size_t>(rounds, 1), threads);
    return 0;
  } catch (const ringside::Error& error) {
    std::fprintf(stderr, "gpu_turnaround_bench: %s\n", error.what());
    return 1;
  }
}
