// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// How blocks of host threads share few cores.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "lib/base/clock.hpp"
#include "tests/unit/kernel_run.hpp"

namespace ringside::test {
namespace {

// A barrier that spun would leave the cores to whoever waits.
TEST(HostBlocks, eight_blocks_of_many_threads_progress_on_few_cores) {
  std::vector<std::jthread> blocks;
  std::atomic<std::uint32_t> done{0};
  for (int i = 0; i < 8; ++i) {
    blocks.emplace_back([&done] {
      run_block(8, [](HostBlock& block) {
        for (std::uint32_t turn = 0; turn < 200; ++turn) block.sync();
      });
      ++done;
    });
  }
  EXPECT_TRUE(wait_until([&done] { return done == 8; }));
}

TEST(HostBlocks, waiting_at_a_barrier_costs_no_cpu) {
  run_block(4, [](HostBlock& block) {
    const std::uint64_t before = process_cpu_ns();
    if (block.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    block.sync();
    if (block.rank() == 0) {
      EXPECT_LT(process_cpu_ns() - before, 100'000'000U);
    }
  });
}

TEST(HostBlocks, a_block_that_idles_long_leaves_the_core_alone) {
  run_block(1, [](HostBlock& block) {
    const std::uint64_t end = monotonic_ns() + 200'000'000;
    const std::uint64_t before = process_cpu_ns();
    block.idle([end] { return monotonic_ns() >= end; });
    EXPECT_LT(process_cpu_ns() - before, 100'000'000U);
  });
}

}  // namespace
}  // namespace ringside::test
