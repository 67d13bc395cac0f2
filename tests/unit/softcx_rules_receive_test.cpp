// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// One receive WQE, record or completion queue for each rule about them, which breaks that only.
#include <gtest/gtest.h>

#include "lib/softcx/data/receive_queue.hpp"
#include "tests/unit/broken_rules.hpp"
#include "tests/unit/softcx_data_fixture.hpp"

namespace softcx {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

class SoftcxReceiveRules : public testing::Test {
 protected:
  Delivery offer() {
    const Segment segment{frame_.data(), static_cast<std::uint32_t>(frame_.size())};
    const Verdict verdict{Verdict::Kind::kDeliver, &queue_.rq, false, 0, 0, 0};
    return deliver(queue_.rq, {{&segment, 1}, segment.length}, verdict, {}, 0);
  }
  void post(std::uint32_t lkey, std::uint64_t address) { queue_.post(2048, lkey, address); }
  void post_good() { post(region_.lkey, region_.address(0)); }

  Device device_{0, "0000:ca:00.0", "mlx5_rules", "uverbs0", ""};
  CqUnderTest completions_{2};
  RqUnderTest queue_{device_, completions_.cq, 3};
  Region region_{device_, 4096};
  const Bytes frame_ = pattern(60);
  RuleWatch rules_;
};

TEST_F(SoftcxReceiveRules, laps_of_the_rings_break_none) {
  for (int i = 0; i < 40; ++i) {
    post_good();
    ASSERT_EQ(offer(), Delivery::kDelivered);
    ASSERT_NE(completions_.poll(), nullptr);
    completions_.give_back();
  }
  EXPECT_EQ(rules_.broken(), std::vector<std::string>{});
}

TEST_F(SoftcxReceiveRules, record_beyond_the_ring) {
  queue_.write_record(9);
  offer();
  RS_EXPECT_BROKEN(rules_, "receive.record-beyond-ring");
}

TEST_F(SoftcxReceiveRules, key_without_local_write) {
  const Region read_only(device_, 4096, false);
  post(read_only.lkey, read_only.address(0));
  EXPECT_EQ(offer(), Delivery::kProtection);
  RS_EXPECT_BROKEN(rules_, "key.local-write");
}

TEST_F(SoftcxReceiveRules, keys_are_judged_in_scatter_lists_too) {
  RqUnderTest queue(device_, completions_.cq, 2, 5);
  put_data_segment(queue.wqe(0), 10, region_.lkey, region_.address(0));
  put_data_segment(queue.wqe(0) + 16, 100, region_.lkey, region_.address(4096 - 49));
  queue.write_record(1);
  const Segment segment{frame_.data(), 60};
  const Verdict verdict{Verdict::Kind::kDeliver, &queue.rq, false, 0, 0, 0};
  EXPECT_EQ(deliver(queue.rq, {{&segment, 1}, 60}, verdict, {}, 0), Delivery::kProtection);
  RS_EXPECT_BROKEN(rules_, "key.bounds");
}

TEST_F(SoftcxReceiveRules, completion_queue_without_room) {
  for (int i = 0; i < 5; ++i) post_good();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(offer(), Delivery::kDelivered);
  EXPECT_EQ(offer(), Delivery::kCqOverrun);
  RS_EXPECT_BROKEN(rules_, "cq.overrun");
}

TEST_F(SoftcxReceiveRules, consumer_index_ahead_of_the_completions) {
  completions_.record.consumer_index = ringside::Be32::of(1);
  post_good();
  EXPECT_EQ(offer(), Delivery::kCqOverrun);
  RS_EXPECT_BROKEN(rules_, "cq.consumer-ahead");
}

}  // namespace
}  // namespace softcx
