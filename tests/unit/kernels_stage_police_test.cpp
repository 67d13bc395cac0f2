// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <gtest/gtest.h>

#include "kernels/stages/police.hpp"

namespace ringside::stages {
namespace {

TEST(StagesPolice, the_burst_passes_and_then_the_rate) {
  // 1000 packets a second, bursts of 10.
  constexpr std::uint64_t kPerPacket = 1'000'000ULL * kPoliceTicksPerNs;
  const PoliceParameters parameters{kPerPacket, 0, 10 * kPerPacket};
  std::uint64_t word = 0;
  int passed = 0;
  for (int i = 0; i < 100; ++i) passed += run_police(&word, 0, 64, parameters) ? 1 : 0;
  EXPECT_EQ(passed, 10);
  passed = 0;
  for (std::uint64_t i = 1; i <= 1000; ++i) {  // 10,000 a second, for 100 ms
    passed += run_police(&word, i * kPerPacket / 10, 64, parameters) ? 1 : 0;
  }
  EXPECT_EQ(passed, 100);
}

TEST(StagesPolice, bytes_cost_what_they_are) {
  // 1 byte a ns.
  constexpr std::uint64_t kNs = kPoliceTicksPerNs;
  const PoliceParameters parameters{0, kNs << 20, 2000 * kNs};
  std::uint64_t word = 0;
  EXPECT_TRUE(run_police(&word, 0, 1500, parameters));
  EXPECT_FALSE(run_police(&word, 0, 501, parameters));
  EXPECT_TRUE(run_police(&word, 0, 500, parameters));
  EXPECT_FALSE(run_police(&word, 99 * kNs, 100, parameters));
  EXPECT_TRUE(run_police(&word, 100 * kNs, 100, parameters));
}

TEST(StagesPolice, a_raised_rate_holds_at_once_whatever_the_bucket_of_the_former_owes) {
  constexpr std::uint64_t kSecond = 1'000'000'000ULL * kPoliceTicksPerNs;
  const PoliceParameters slow{kSecond, 0, 100 * kSecond};
  const PoliceParameters fast{kSecond / 1000, 0, kSecond / 100};
  std::uint64_t word = 0;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(run_police(&word, 0, 64, slow));
  EXPECT_FALSE(run_police(&word, 0, 64, fast));  // the bucket is empty still
  int passed = 0;
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    passed += run_police(&word, i * kSecond / 1000, 64, fast) ? 1 : 0;
  }
  EXPECT_EQ(passed, 1000);
}

}  // namespace
}  // namespace ringside::stages
