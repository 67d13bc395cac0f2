// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Runs blocks of host threads in tests.
#pragma once

#include <gtest/gtest.h>
#include <sched.h>
#include <time.h>

#include <cstdint>
#include <string_view>
#include <thread>
#include <vector>

#include "kernels/registry.hpp"
#include "lib/base/clock.hpp"
#include "lib/device/host_block.hpp"
#include "lib/device/stream.hpp"

namespace ringside::test {

/// Calls `body(block)` in each thread of a block, and returns when all have returned.
template <class Body>
void run_block(std::uint32_t threads, Body body) {
  HostBlockTeam team(threads);
  std::vector<std::jthread> running;
  for (std::uint32_t rank = 0; rank < threads; ++rank) {
    running.emplace_back([&team, &body, rank] {
      HostBlock block(team, rank);
      body(block);
    });
  }
}

/// A kernel, by its name in the registry or itself, on a block of its own.
class KernelRun {
 public:
  using Run = void (*)(HostBlock&, const StreamArgs&);

  KernelRun(std::string_view name, const StreamArgs& stream, std::uint32_t threads)
      : KernelRun(find_host_kernel(name)->run, stream, threads) {}
  KernelRun(Run run, const StreamArgs& stream, std::uint32_t threads)
      : stream_(stream), team_(threads) {
    for (std::uint32_t rank = 0; rank < threads; ++rank) {
      threads_.emplace_back([this, run, rank] {
        HostBlock block(team_, rank);
        run(block, stream_);
      });
    }
  }
  ~KernelRun() { stop(); }

  void request_stop() { __atomic_store_n(&stream_.control->exit, 1U, __ATOMIC_RELAXED); }
  void join() { threads_.clear(); }
  void stop() {
    request_stop();
    join();
  }

 private:
  const StreamArgs stream_;
  HostBlockTeam team_;
  std::vector<std::jthread> threads_;
};

/// Steps the NIC (or whatever `step` does) until `done`. false: ten seconds have passed.
template <class Done, class Step>
bool step_until(Done done, Step step) {
  const Deadline deadline = Deadline::after_ms(10'000);
  while (!done()) {
    if (deadline.passed()) return false;
    step();
    sched_yield();
  }
  return true;
}

template <class Done>
bool wait_until(Done done) {
  return step_until(done, [] {});
}

/// CPU time of all threads so far.
inline std::uint64_t process_cpu_ns() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(used.tv_nsec);
}

/// How many threads a block has, in every test of a suite: one, some, a warp.
class BlockSizes : public testing::TestWithParam<std::uint32_t> {};
#define RS_FOR_BLOCK_SIZES(Suite)                                        \
  INSTANTIATE_TEST_SUITE_P(threads, Suite, testing::Values(1U, 4U, 32U), \
                           [](const auto& size) { return std::to_string(size.param); })

}  // namespace ringside::test
