// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Cycles spent in calls, summed over the scopes of a block.
#pragma once

#include <cstdint>

#include "tests/bench/gpu_send/rig.cuh"

namespace ringside::bench {

inline constexpr std::uint32_t kMostCalls = 4;

struct Cycles {
  unsigned long long in[kMostCalls];
  unsigned long long units[kMostCalls];  // that they were spent on
  unsigned long long elapsed;            // of the scope's loop
  unsigned long long scopes;

  double of(std::uint32_t call) const {
    return static_cast<double>(in[call]) / static_cast<double>(units[call]);
  }
  double elapsed_a_scope() const {
    return static_cast<double>(elapsed) / static_cast<double>(scopes);
  }
};

/// The clock is no memory, so it may be read before a barrier that stands before it; what keeps it
/// in its place is a branch on a word that is read behind the barrier. All threads, at first.
__device__ inline std::uint32_t& clock_gate() {
  __shared__ std::uint32_t gate;
  return gate;
}
__device__ inline void open_clock_gate() {
  if (threadIdx.x == 0) clock_gate() = 0;
  __syncthreads();
}
__device__ inline long long cycle_now() {
  std::uint32_t closed;
  asm volatile("ld.shared.u32 %0, [%1];"
               : "=r"(closed)
               : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(&clock_gate())))
               : "memory");
  if (closed != 0) __trap();
  long long now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}

/// One thread's, of those that speak for a scope.
class CycleCounter {
 public:
  __device__ CycleCounter() { last_ = begin_ = cycle_now(); }
  /// What comes next is counted.
  __device__ void start() { last_ = cycle_now(); }
  /// What came since start() or spent() was `call`, for so many units.
  __device__ void spent(std::uint32_t call, std::uint32_t units) {
    const long long now = cycle_now();
    in_[call] += static_cast<unsigned long long>(now - last_);
    units_[call] += units;
    last_ = now;
  }
  __device__ void add_to(Cycles& sum) const {
    const auto elapsed = static_cast<unsigned long long>(cycle_now() - begin_);
    for (std::uint32_t call = 0; call < kMostCalls; ++call) {
      atomicAdd(&sum.in[call], in_[call]);
      atomicAdd(&sum.units[call], units_[call]);
    }
    atomicAdd(&sum.elapsed, elapsed);
    atomicAdd(&sum.scopes, 1ULL);
  }

 private:
  long long begin_;
  long long last_;
  unsigned long long in_[kMostCalls] = {};
  unsigned long long units_[kMostCalls] = {};
};

/// Rounds that make a run long enough to measure, and no longer.
inline std::uint32_t rounds_of(std::uint32_t threads) {
  return threads < 64 ? 4'000 : 256'000 / threads;
}

inline constexpr std::uint32_t kCostThreads[] = {1, 32, 64, 128, 256, 512, 1024};

/// For polls: so many CQEs are there before they are counted.
inline constexpr std::uint32_t kPolledCqes = 64;
inline constexpr std::uint32_t kPollRounds = 50;
/// Cycles in which the NIC model completes what was posted last.
inline constexpr long long kNicPause = 400'000;

__device__ inline void pause_for_nic() {
  const long long begin = cycle_now();
  for (long long now = begin; now - begin < kNicPause; now = cycle_now()) __nanosleep(1000);
}

}  // namespace ringside::bench
