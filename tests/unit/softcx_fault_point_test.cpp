// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/fault/point.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace softcx {
namespace {

FaultPoint point(const std::string& text, FaultKind kind, std::uint32_t number = 0) {
  return FaultPoint(*parse_faults({text}, 1).find(kind, 0), number);
}

/// Packets between strikes until there are no more.
std::vector<std::uint64_t> distances(FaultPoint fault) {
  std::vector<std::uint64_t> all;
  for (; fault.distance() != FaultPoint::kNever; fault.struck()) {
    all.push_back(fault.distance());
    fault.pass(fault.distance());
    EXPECT_EQ(fault.distance(), 0U);
  }
  return all;
}

TEST(SoftcxFaultPoint, strikes_after_its_packets_and_so_often) {
  EXPECT_EQ(distances(point("tx-error:packet=10:count=3", FaultKind::kTxError)),
            (std::vector<std::uint64_t>{10, 10, 10}));
}

TEST(SoftcxFaultPoint, packets_pass_in_parts) {
  FaultPoint fault = point("tx-error:packet=10", FaultKind::kTxError);
  fault.pass(4);
  EXPECT_EQ(fault.distance(), 6U);
  fault.pass(100);  // a WQE of several packets may go beyond
  EXPECT_EQ(fault.distance(), 0U);
}

TEST(SoftcxFaultPoint, seed_gives_distances_that_can_be_repeated_and_have_the_mean) {
  const std::string text = "rx-error:packet=50:count=2000:seed=";
  const auto first = distances(point(text + "3", FaultKind::kRxError));
  EXPECT_EQ(first, distances(point(text + "3", FaultKind::kRxError)));
  EXPECT_NE(first, distances(point(text + "4", FaultKind::kRxError)));
  EXPECT_NE(first, distances(point(text + "3", FaultKind::kRxError, 1)));  // another queue
  const auto sum = std::accumulate(first.begin(), first.end(), std::uint64_t{0});
  EXPECT_NEAR(static_cast<double>(sum) / 2000, 50, 5);
}

TEST(SoftcxFaultPoint, fault_that_lasts_begins_when_due_and_ends_in_time) {
  FaultPoint fault = point("stalled-nic:packet=1:ms=2", FaultKind::kStalledNic);
  EXPECT_FALSE(fault.lasting(1'000'000));
  fault.pass(1);
  EXPECT_TRUE(fault.lasting(5'000'000));
  EXPECT_TRUE(fault.lasting(6'999'999));
  EXPECT_FALSE(fault.lasting(7'000'000));
  EXPECT_EQ(fault.distance(), FaultPoint::kNever);
}

TEST(SoftcxFaultPoint, fault_that_lasts_can_begin_some_time_after_it_is_due) {
  FaultPoint fault = point("link-down:after=3:ms=2", FaultKind::kLinkDown);
  EXPECT_FALSE(fault.lasting(1'000'000));
  EXPECT_FALSE(fault.lasting(3'999'999));
  EXPECT_TRUE(fault.lasting(4'000'000));
  EXPECT_TRUE(fault.lasting(5'999'999));
  EXPECT_FALSE(fault.lasting(6'000'000));
}

TEST(SoftcxFaultPoint, fault_without_a_time_lasts_for_ever) {
  FaultPoint fault = point("link-down", FaultKind::kLinkDown);
  EXPECT_TRUE(fault.lasting(1));
  EXPECT_TRUE(fault.lasting(UINT64_MAX - 1));
}

TEST(SoftcxFaultPoint, queue_without_faults_has_nothing_to_look_at) {
  const FaultPlan plan = parse_faults({"bond,tx-error:port=1"}, 2);
  EXPECT_EQ(make_queue_faults(plan, 0, {FaultKind::kTxError}, 5), nullptr);
  EXPECT_EQ(make_queue_faults(plan, 1, {FaultKind::kTxError, FaultKind::kCqOverrun}, 5)->size(),
            1U);
}

}  // namespace
}  // namespace softcx
