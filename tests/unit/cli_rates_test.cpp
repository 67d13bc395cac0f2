// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/cli/rates.hpp"

#include <gtest/gtest.h>

namespace {

using ringside::PortStats;
using ringside::cli::RateMeter;
using ringside::cli::Rates;

constexpr std::uint64_t kSecond = 1'000'000'000;

PortStats counted(std::uint64_t rx_packets, std::uint64_t rx_bytes, std::uint64_t tx_packets,
                  std::uint64_t tx_bytes) {
  PortStats stats{};
  stats.rx_packets = rx_packets;
  stats.rx_bytes = rx_bytes;
  stats.tx_packets = tx_packets;
  stats.tx_bytes = tx_bytes;
  return stats;
}

TEST(Rates, first_look_gives_the_rate_since_construction) {
  RateMeter meter(counted(10, 640, 0, 0), 5 * kSecond);
  const Rates rates = meter.measure(counted(210, 13440, 50, 5000), 7 * kSecond);
  EXPECT_EQ(rates.rx_pps, 100U);
  EXPECT_EQ(rates.rx_bps, 12800U * 8 / 2);
  EXPECT_EQ(rates.tx_pps, 25U);
  EXPECT_EQ(rates.tx_bps, 20000U);
}

TEST(Rates, each_look_counts_from_the_one_before) {
  RateMeter meter(PortStats{}, kSecond);
  meter.measure(counted(1000, 64000, 0, 0), 2 * kSecond);
  const Rates rates = meter.measure(counted(1010, 64640, 0, 0), 3 * kSecond);
  EXPECT_EQ(rates.rx_pps, 10U);
  EXPECT_EQ(rates.rx_bps, 5120U);
}

TEST(Rates, two_looks_at_once_divide_by_nothing) {
  RateMeter meter(PortStats{}, kSecond);
  EXPECT_EQ(meter.measure(counted(5, 5, 5, 5), kSecond).rx_pps, 0U);
}

TEST(Rates, counters_that_went_back_give_zero) {
  RateMeter meter(counted(100, 100, 100, 100), kSecond);
  const Rates rates = meter.measure(counted(1, 1, 1, 1), 2 * kSecond);
  EXPECT_EQ(rates.rx_pps, 0U);
  EXPECT_EQ(rates.tx_bps, 0U);
}

TEST(Rates, line_rate_of_minutes_does_not_overflow) {
  RateMeter meter(PortStats{}, 0);
  const std::uint64_t packets = 148'800'000ULL * 600;
  const Rates rates = meter.measure(counted(packets, packets * 64, 0, 0), 600 * kSecond);
  EXPECT_EQ(rates.rx_pps, 148'800'000U);
  EXPECT_EQ(rates.rx_bps, 148'800'000ULL * 512);
}

}  // namespace
