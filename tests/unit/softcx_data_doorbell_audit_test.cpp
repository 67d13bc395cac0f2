// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a page tells of its queues: rings and records that do not belong together.
#include "tests/unit/softcx_data_doorbell_fixture.hpp"

namespace softcx::test {
namespace {

TEST(SoftcxDoorbell, queue_that_is_not_of_the_page_is_named) {
  Page page("db_unknown", 2);
  page.post(0);
  page.record(0);
  page.ring_word(page.queues[0]->doorbell(0) ^ (std::uint64_t{0xff} << 48));
  EXPECT_TRUE(page.poll());
  EXPECT_EQ(page.violations("UAR page 3: rung for queue 0x2ff, which is not a send queue"), 1U);
}

TEST(SoftcxDoorbell, ring_of_a_queue_that_is_gone_is_no_violation_at_set_up) {
  Page page("db_gone", 1);
  page.ring_word(page.queues[0]->doorbell(0) | std::uint64_t{0xff} << 48);
  page.set_up();
  EXPECT_FALSE(page.poll());
  EXPECT_EQ(page.violations(), 0U);
}

TEST(SoftcxDoorbell, ring_without_record_is_named) {
  Page page("db_no_record", 1);
  page.post(0);
  page.ring(0);
  EXPECT_TRUE(page.poll());
  EXPECT_FALSE(page.has_work(0));
  EXPECT_EQ(page.violations("send queue 0x200: ring without record: rung up to index 1 while the "
                            "doorbell record says 0"),
            1U);
}

TEST(SoftcxDoorbell, second_ring_for_the_same_wqe_is_named) {
  Page page("db_twice", 1);
  page.post(0);
  page.record(0);
  page.ring(0);
  EXPECT_TRUE(page.poll());
  page.ring(0);
  EXPECT_TRUE(page.poll());
  EXPECT_EQ(page.violations("send queue 0x200: ring without record: rung again for index 1"), 1U);
}

TEST(SoftcxDoorbell, record_without_ring_is_named_after_a_grace_time) {
  constexpr std::uint64_t kStart = 1'000'000;
  Page page("db_no_ring", 1);
  page.post(0);
  page.record(0);
  page.check(kStart);
  page.check(kStart + DoorbellAudit::kGraceNs);
  EXPECT_EQ(page.violations(), 0U);
  page.check(kStart + DoorbellAudit::kGraceNs + 1);
  EXPECT_EQ(page.violations("send queue 0x200: record moved without ring (to 1,"), 1U);
  EXPECT_FALSE(page.poll());
}

TEST(SoftcxDoorbell, record_set_to_zero_after_a_restart_needs_no_ring) {
  Page page("db_zeroed", 1);
  for (int i = 0; i < 7; ++i) page.post(0);
  page.record(0);
  page.ring(0);
  EXPECT_TRUE(page.poll());
  page.run(0);
  page.restart(0);
  page.queues[0]->write_record(0);
  page.check(1);
  page.check(2 + DoorbellAudit::kGraceNs);
  EXPECT_EQ(page.violations(), 0U);
}

TEST(SoftcxDoorbell, ring_for_the_first_wqe_of_a_batch_is_named_after_a_grace_time) {
  Page page("db_not_last", 1);
  page.post(0);
  const std::uint64_t first = page.queues[0]->doorbell(0);
  page.post(0);
  page.record(0);
  page.ring_word(first);
  EXPECT_TRUE(page.poll());
  page.run(0);
  page.check(1);
  page.check(2 + DoorbellAudit::kGraceNs);
  EXPECT_EQ(page.violations("send queue 0x200: record moved without ring (to 2, the last ring "
                            "announced 1)"),
            1U);
}

TEST(SoftcxDoorbell, shared_page_is_not_audited_for_missing_rings) {
  Page page("db_shared_audit", 2);
  page.post(0);
  page.record(0);
  page.check(1);
  page.check(2 + DoorbellAudit::kGraceNs);
  EXPECT_EQ(page.violations(), 0U);
}

TEST(SoftcxDoorbell, record_beyond_the_depth_stops_the_queue) {
  Page page("db_beyond", 2);
  page.post(0);
  page.queues[0]->write_record(65);
  page.ring(0);
  EXPECT_TRUE(page.poll());
  EXPECT_EQ(page.violations("send queue 0x200: the doorbell record went beyond the ring's depth "
                            "(from 0 to 65"),
            1U);
  EXPECT_EQ(page.queues[0]->sq.state.load(), QueueState::kError);
  const ringside::Cqe* cqe = page.completions.poll();
  ASSERT_NE(cqe, nullptr);
  EXPECT_EQ(syndrome(*cqe), 0x02);
  EXPECT_EQ(vendor_syndrome(*cqe), static_cast<std::uint8_t>(Cause::kProducerIndex));
  EXPECT_FALSE(page.has_work(0));
}

TEST(SoftcxDoorbell, record_that_goes_backwards_stops_the_queue) {
  Page page("db_backwards", 1);
  for (int i = 0; i < 10; ++i) page.post(0);
  page.record(0);
  page.ring(0);
  EXPECT_TRUE(page.poll());
  page.queues[0]->write_record(5);
  page.ring(0);
  EXPECT_TRUE(page.poll());
  EXPECT_EQ(page.violations("send queue 0x200: the doorbell record went backwards (from 10 to 5"),
            1U);
  EXPECT_EQ(page.queues[0]->sq.state.load(), QueueState::kError);
}

TEST(SoftcxDoorbell, deepest_ring_still_notices_a_record_that_goes_backwards) {
  Page page("db_deep_back", 1, 15);
  for (int i = 0; i < 32768; ++i) page.post(0);
  page.record(0);
  page.ring(0);
  EXPECT_TRUE(page.poll());
  page.queues[0]->write_record(32767);
  page.ring(0);
  EXPECT_TRUE(page.poll());
  EXPECT_EQ(page.violations("send queue 0x200: the doorbell record went backwards"), 1U);
  EXPECT_EQ(page.queues[0]->sq.state.load(), QueueState::kError);
}

TEST(SoftcxDoorbell, faults_of_one_kind_are_one_violation) {
  Page page("db_many", 1);
  for (int i = 0; i < 20; ++i) {
    page.post(0);
    page.ring(0);  // without record, each for another index
    EXPECT_TRUE(page.poll());
  }
  EXPECT_EQ(page.violations("send queue 0x200: ring without record: rung up to index 1 "), 1U);
  EXPECT_EQ(page.violations(), 1U);
  EXPECT_EQ(violations_with("db_many: send queue 0x200: ring without record: rung up to index 1 "
                            "while the doorbell record says 0 [doorbell.before-record]; 20 times"),
            1U);
}

TEST(SoftcxDoorbell, record_set_back_in_the_error_state_is_a_recovery) {
  Page page("db_recovery", 2);
  for (int i = 0; i < 10; ++i) page.post(0);
  page.record(0);
  page.ring(0);
  EXPECT_TRUE(page.poll());
  page.run(0);
  page.queues[0]->sq.state.store(QueueState::kError);
  page.queues[0]->write_record(0);
  page.post(1);
  page.record(1);
  page.ring(1);
  EXPECT_TRUE(page.poll());
  EXPECT_FALSE(page.has_work(0));
  EXPECT_EQ(page.violations(), 0U);
}

}  // namespace
}  // namespace softcx::test
