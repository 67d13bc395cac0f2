// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Time stamps and nanoseconds.
#include "lib/mlx5/nic_time.hpp"

#include <gtest/gtest.h>

#include <random>

namespace ringside::mlx5 {
namespace {

using prm::TimestampFormat;
__extension__ using Wide = unsigned __int128;

/// Of ConnectX-4 Lx and -5, -6 Dx, -7; and what no factor of 2^64 hits.
constexpr std::uint32_t kFrequencies[] = {78'125, 156'250, 1'000'000, 999'983, 2'500'000};

TEST(NicTime, ticks_are_the_right_nanoseconds_for_decades) {
  std::mt19937_64 random(7);
  for (const std::uint32_t khz : kFrequencies) {
    const StampToNs to_ns = stamp_to_ns(TimestampFormat::kFreeRunning, khz);
    for (int i = 0; i < 10'000; ++i) {
      const std::uint64_t ticks = random() >> (5 + random() % 59);
      const auto exact = static_cast<std::uint64_t>(Wide{ticks} * 1'000'000 / khz);
      ASSERT_LE(to_ns(ticks) - exact, 1U) << ticks << " ticks of " << khz << " kHz";
    }
    EXPECT_EQ(to_ns(std::uint64_t{khz} * 1000 * 86'400 * 365), kNsPerSecond * 86'400 * 365)
        << "whole seconds stay whole";
  }
}

TEST(NicTime, nanoseconds_become_the_tick_that_they_lie_in) {
  std::mt19937_64 random(8);
  for (const std::uint32_t khz : kFrequencies) {
    const NsToStamp to_ticks = ns_to_stamp(TimestampFormat::kFreeRunning, khz);
    const StampToNs to_ns = stamp_to_ns(TimestampFormat::kFreeRunning, khz);
    for (int i = 0; i < 10'000; ++i) {
      const std::uint64_t ns = random() >> 2;
      const auto exact = static_cast<std::uint64_t>(Wide{ns} * khz / 1'000'000);
      ASSERT_LE(to_ticks(ns) - exact, 1U) << ns << " ns in ticks of " << khz << " kHz";
      const auto off = static_cast<std::int64_t>(to_ns(to_ticks(ns)) - ns);
      ASSERT_LE(std::abs(off), 1'000'000 / khz + 1) << ns;
    }
  }
}

TEST(NicTime, real_time_is_seconds_and_nanoseconds) {
  const StampToNs to_ns = stamp_to_ns(TimestampFormat::kRealTime, 156'250);
  const NsToStamp to_stamp = ns_to_stamp(TimestampFormat::kRealTime, 156'250);
  constexpr std::uint64_t kStamp = std::uint64_t{0x6543'2100} << 32 | 999'999'999;
  EXPECT_EQ(to_ns(kStamp), 0x6543'2100 * kNsPerSecond + 999'999'999);
  EXPECT_EQ(to_stamp(to_ns(kStamp)), kStamp);
  EXPECT_EQ(to_stamp(to_ns(kStamp) + 1), std::uint64_t{0x6543'2101} << 32);
}

TEST(NicTime, waits_cycle_in_eight_seconds_or_a_little_more) {
  EXPECT_EQ(wait_mask(TimestampFormat::kFreeRunning, 1'000'000), (std::uint64_t{1} << 33) - 1);
  EXPECT_EQ(wait_mask(TimestampFormat::kFreeRunning, 156'250), (std::uint64_t{1} << 31) - 1);
  EXPECT_EQ(wait_mask(TimestampFormat::kRealTime, 156'250), (std::uint64_t{1} << 35) - 1);
}

TEST(NicTime, a_device_that_hides_its_frequency_tells_no_time) {
  EXPECT_EQ(stamp_to_ns(TimestampFormat::kFreeRunning, 0)(12345), 0U);
  EXPECT_EQ(wait_mask(TimestampFormat::kFreeRunning, 0), 0U);
}

}  // namespace
}  // namespace ringside::mlx5
