// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Runs blocks in tests: of host threads, or of a GPU where the program is built for one
// (tests/gpu/meson.build).
#pragma once

#include <gtest/gtest.h>
#include <time.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lib/base/clock.hpp"
#include "tests/unit/wait.hpp"

#if defined(RINGSIDE_TEST_ON_GPU)
#include "tests/gpu/kernel_run.hpp"
#else
#include "tests/unit/host_kernel_run.hpp"
#endif

namespace ringside::test {

/// CPU time of all threads so far.
inline std::uint64_t process_cpu_ns() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(used.tv_nsec);
}

/// How many threads a block has, in every test of a suite: one, some, a warp. On a GPU, whose
/// blocks are whole warps and have parts that work side by side: a warp, a front and a back, a
/// ringer besides, and several workers.
class BlockSizes : public testing::TestWithParam<std::uint32_t> {};
inline std::vector<std::uint32_t> block_sizes() {
  if (kLanesComeTogether) return {32, 64, 96, 256};
  return {1, 4, 32};
}
#define RS_FOR_BLOCK_SIZES(Suite)                                                              \
  INSTANTIATE_TEST_SUITE_P(threads, Suite, testing::ValuesIn(::ringside::test::block_sizes()), \
                           [](const auto& size) { return std::to_string(size.param); })

}  // namespace ringside::test
