// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Runs what tests/unit/block_checks.hpp describes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "tests/unit/block_checks.hpp"
#include "tests/unit/kernel_run.hpp"
#if defined(RINGSIDE_TEST_ON_GPU)
#include "tests/gpu/checks.hpp"
#endif

namespace ringside::test {

/// What::run in so many blocks, or in their parts, and beside() meanwhile in this thread. A failure
/// names the line.
template <class What, class Beside>
void check_in_blocks(std::uint32_t blocks, std::uint32_t threads, Part part, const void* orders,
                     Beside beside) {
  const auto findings = std::make_unique<Findings>();
  findings->cqe.byte_count = Be32::of(1500);
  findings->cqe.wqe_counter = Be16::of(7);
  findings->cqe.op_own = 0x21;
  Checks checks{findings.get(), orders, part, 0};
  {
#if defined(RINGSIDE_TEST_ON_GPU)
    const gpu::Launch launch(gpu::check_kernel<What>(), blocks, threads, &checks);
    beside();
    const auto over = [&] {
      return std::all_of(findings->over, findings->over + blocks,
                         [](const std::uint32_t& one) { return load_acquire_system(&one) != 0; });
    };
    EXPECT_TRUE(wait_until(over)) << testing::UnitTest::GetInstance()->current_test_info()->name()
                                  << " does not end";
#else
    std::vector<std::jthread> running;
    for (std::uint32_t number = 0; number < blocks; ++number) {
      running.emplace_back([=] {
        Checks own = checks;
        own.number = number;
        run_block(threads, [&](HostBlock& block) { check_part<What>(block, own); });
      });
    }
    beside();
#endif
  }
  EXPECT_EQ(findings->line, 0U) << "line of the check, where thread " << findings->rank << " had "
                                << findings->value;
}

}  // namespace ringside::test
