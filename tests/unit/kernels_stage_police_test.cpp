// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "kernels/stages/police.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/stages_frame.hpp"

namespace ringside::stages {
namespace {

constexpr std::uint64_t kNs = kPoliceTicksPerNs;
constexpr std::uint64_t kSecond = 1'000'000'000 * kNs;

PoliceParameters packets(std::uint64_t ticks, std::uint64_t burst) {
  return {ticks, 0, burst * ticks, PolicePer::kPipeline, 1, {}};
}

TEST(StagesPolice, the_burst_passes_and_then_the_rate) {
  constexpr std::uint64_t kPerPacket = kSecond / 1000;
  const PoliceParameters parameters = packets(kPerPacket, 10);
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
  const PoliceParameters parameters{0, kNs << kPoliceByteShift, 2000 * kNs, PolicePer::kPipeline, 1,
                                    {}};
  std::uint64_t word = 0;
  EXPECT_TRUE(run_police(&word, 0, 1500, parameters));
  EXPECT_FALSE(run_police(&word, 0, 501, parameters));
  EXPECT_TRUE(run_police(&word, 0, 500, parameters));
  EXPECT_FALSE(run_police(&word, 99 * kNs, 100, parameters));
  EXPECT_TRUE(run_police(&word, 100 * kNs, 100, parameters));
}

TEST(StagesPolice, a_raised_rate_holds_at_once_whatever_the_bucket_of_the_former_owes) {
  const PoliceParameters slow = packets(kSecond, 100);
  const PoliceParameters fast = packets(kSecond / 1000, 10);
  std::uint64_t word = 0;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(run_police(&word, 0, 64, slow));
  int passed = 0;
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    passed += run_police(&word, i * kSecond / 1000, 64, fast) ? 1 : 0;
  }
  EXPECT_EQ(passed, 1000);
}

TEST(StagesPolice, a_bucket_is_full_after_any_time_that_it_was_idle) {
  const PoliceParameters parameters = packets(kSecond / 1000, 10);
  const std::uint64_t hours = 3600;
  for (const std::uint64_t start : {std::uint64_t{0}, ~std::uint64_t{0} - kSecond / 500}) {
    std::uint64_t word = start;
    std::uint64_t now = start;
    for (std::uint64_t i = 1; i <= 1000; ++i, now += i * 10 * hours * kSecond) {
      for (int packet = 0; packet < 10; ++packet) {
        EXPECT_TRUE(run_police(&word, now, 64, parameters)) << i;
      }
      EXPECT_FALSE(run_police(&word, now, 64, parameters)) << i;
    }
  }
}

Frame datagram(const char* source, std::uint16_t port) {
  return Frame(ethernet(0x0800, ipv4({.source = source}, udp(port, 80))));
}

std::uint32_t bucket(const Frame& frame, const FlowKey& key, PolicePer per = PolicePer::kFlow,
                     std::uint32_t source = 0) {
  return police_bucket(frame.view, source, per, key, 1U << 20);
}

TEST(StagesPolice, a_flow_has_the_bucket_of_what_tells_it_apart) {
  const Frame a = datagram("10.0.0.1", 7);
  const Frame other_port = datagram("10.0.0.1", 8);
  const Frame other_source = datagram("10.0.0.9", 7);
  const FlowKey by_tuple{HashOver::kFiveTuple, 0, {}};
  EXPECT_EQ(bucket(a, by_tuple), bucket(datagram("10.0.0.1", 7), by_tuple));
  EXPECT_NE(bucket(a, by_tuple), bucket(other_port, by_tuple));
  EXPECT_NE(bucket(a, by_tuple), bucket(other_source, by_tuple));
  const FlowKey by_source{HashOver::kSourceIp, 0, {}};
  EXPECT_EQ(bucket(a, by_source), bucket(other_port, by_source));
  EXPECT_NE(bucket(a, by_source), bucket(other_source, by_source));
  const FlowKey by_field{HashOver::kFiveTuple, 1, {{place_of(Field::kUdpSrc), false}}};
  EXPECT_EQ(bucket(a, by_field), bucket(other_source, by_field));
  EXPECT_NE(bucket(a, by_field), bucket(other_port, by_field));
  EXPECT_NE(bucket(datagram("10.0.0.1", 0), by_field), bucket(Frame(tcp4_frame()), by_field));
}

TEST(StagesPolice, inner_headers_tell_the_flows_of_a_tunnel_apart) {
  const Bytes vxlan{8, 0, 0, 0, 0, 0, 1, 0};
  const auto tunneled = [&](std::uint16_t port) {
    return Frame(ethernet(0x0800, ipv4({}, udp(9, 4789, vxlan + frames::udp4(port, 88)))));
  };
  const FlowKey inner{HashOver::kFiveTuple, 1, {{place_of(Field::kUdpSrc), true}}};
  EXPECT_EQ(bucket(tunneled(1), inner), bucket(tunneled(1), inner));
  EXPECT_NE(bucket(tunneled(1), inner), bucket(tunneled(2), inner));
}

TEST(StagesPolice, flows_spread_over_all_buckets) {
  const FlowKey key{HashOver::kFiveTuple, 0, {}};
  std::set<std::uint32_t> found;
  for (std::uint16_t port = 0; port < 2000; ++port) {
    const Frame frame = datagram("10.0.0.1", port);
    found.insert(police_bucket(frame.view, 0, PolicePer::kFlow, key, 100));
  }
  EXPECT_EQ(found.size(), 100U);
  EXPECT_LT(*found.rbegin(), 100U);
}

TEST(StagesPolice, a_queue_has_the_bucket_of_its_number_and_a_pipeline_one) {
  const Frame a = datagram("10.0.0.1", 7);
  EXPECT_EQ(bucket(a, {}, PolicePer::kQueue, 3), 3U);
  EXPECT_EQ(bucket(a, {}, PolicePer::kPipeline, 3), 0U);
}

}  // namespace
}  // namespace ringside::stages
