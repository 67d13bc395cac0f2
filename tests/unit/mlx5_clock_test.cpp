// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Maps between clocks.
#include <gtest/gtest.h>

#include <thread>

#include "lib/base/clock.hpp"
#include "lib/base/error.hpp"
#include "lib/device/clock_answer.hpp"
#include "lib/device/host_block.hpp"
#include "lib/mlx5/clock_sample.hpp"
#include "lib/mlx5/nic_time.hpp"
#include "mlx5_fixture.hpp"

namespace ringside::test {
namespace {

[[maybe_unused]] const auto* const kLoopPort = testing::AddGlobalTestEnvironment(new LoopPort);

constexpr std::uint64_t kMs = 1'000'000;

TEST(ClockMap, maps_readings_on_both_sides_of_its_own) {
  const ClockMap map{1000, 50, std::uint64_t{1} << 32};
  EXPECT_EQ(map(1000), 50U);
  EXPECT_EQ(map(1700), 750U);
  EXPECT_EQ(map(990), 40U);
}

TEST(ClockMap, keeps_each_tick_over_hours_and_at_any_rate) {
  constexpr std::uint64_t kHour = 3'600'000'000'000;
  for (const std::uint64_t khz : {1'000'000U, 78'125U, 156'250U, 2'500'000U}) {
    const mlx5::ClockReading first{5 * kHour, 77, 0};
    const mlx5::ClockReading second{5 * kHour + 1000 * kMs, 77 + khz * 1000, 0};
    const ClockMap map = mlx5::fit_clocks(first, second);
    for (const std::uint64_t ms : {1U, 999U, 3'600'000U}) {
      // 2^-32 ticks a nanosecond are lost at most.
      const double exact = static_cast<double>(77 + khz * 1000 + khz * ms);
      EXPECT_NEAR(static_cast<double>(map(second.from + ms * kMs)), exact,
                  1 + static_cast<double>(ms * kMs) / 4.29e9);
    }
  }
}

TEST(ClockMap, needs_two_readings_of_clocks_that_go) {
  EXPECT_THROW(mlx5::fit_clocks({5, 5, 0}, {5, 9, 0}), Error);
  EXPECT_THROW(mlx5::fit_clocks({5, 5, 0}, {4, 9, 0}), Error);
  EXPECT_THROW(mlx5::fit_clocks({5, 5, 0}, {9, 4, 0}), Error);
}

TEST(ClockSample, the_quickest_of_the_tries_counts) {
  std::uint64_t time = 0;
  int tries = 0;
  const auto read_to = [&]() -> std::optional<std::uint64_t> {
    time += ++tries == 3 ? 100 : 900;
    if (tries == 2) return std::nullopt;
    return time * 10;
  };
  const auto reading = mlx5::read_clocks([&] { return time; }, read_to, 5);
  EXPECT_EQ(tries, 5);
  EXPECT_EQ(reading.uncertainty_ns, 50U);
  EXPECT_EQ(reading.from, 1850U);
  EXPECT_EQ(reading.to, 19000U);
  EXPECT_THROW(
      mlx5::read_clocks([&] { return time; }, [] { return std::optional<std::uint64_t>(); }, 5),
      Error);
}

/// How wrong a map may be at `at`, by its readings and 1 part in 1000 for clocks that are adjusted.
std::uint64_t bound_ns(const mlx5::ClockReading& first, const mlx5::ClockReading& second,
                       const mlx5::ClockReading& at) {
  const std::uint64_t apart = second.from - first.from, ahead = at.from - second.from;
  const std::uint64_t both = first.uncertainty_ns + second.uncertainty_ns;
  return second.uncertainty_ns + at.uncertainty_ns + both * ahead / apart + ahead / 1000 + 2;
}

TEST(NicClock, is_the_hosts_by_a_map) {
  const StampToNs stamps = mlx5::stamp_to_ns(prm::TimestampFormat::kFreeRunning, 1'000'000);
  const mlx5::Context context = mlx5::Context::open(kNicAddress);
  const auto read = [&] {
    return mlx5::read_clocks(monotonic_ns,
                             [&] { return std::optional(mlx5::read_nic_clock(context, stamps)); });
  };
  const auto first = read();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto second = read();
  const ClockMap to_nic = mlx5::fit_clocks(first, second);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto later = read();
  const auto error = static_cast<std::int64_t>(to_nic(later.from) - later.to);
  const auto bound = static_cast<std::int64_t>(bound_ns(first, second, later));
  EXPECT_LE(std::abs(error), bound);
  EXPECT_LT(bound, 1'000'000) << "the bound itself has to say something";
}

TEST(KernelClock, is_told_on_request) {
  ClockMailbox mailbox{};
  EXPECT_EQ(mlx5::ask_clock(mailbox), std::nullopt) << "no kernel runs";
  std::atomic<bool> stop{false};
  std::jthread kernel([&] {
    HostBlockTeam team(1);
    HostBlock block(team, 0);
    while (!stop) {
      if (!answer_clock(block, mailbox)) sched_yield();
    }
  });
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t before = monotonic_ns();
    const auto told = mlx5::ask_clock(mailbox);
    if (!told) continue;  // the machine was busy
    EXPECT_GE(*told, before);
    EXPECT_LE(*told, monotonic_ns());
  }
  const auto reading = mlx5::read_clocks(monotonic_ns, [&] { return mlx5::ask_clock(mailbox); });
  EXPECT_LE(
      static_cast<std::uint64_t>(std::abs(static_cast<std::int64_t>(reading.from - reading.to))),
      reading.uncertainty_ns);
  stop = true;
}

}  // namespace
}  // namespace ringside::test
