// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Rings that lead to work, overwritten and repeated ones among them.
#include "tests/unit/softcx_data_doorbell_fixture.hpp"

namespace softcx::test {
namespace {

TEST(SoftcxDoorbell, nothing_is_sent_before_the_ring) {
  Page page("db_before", 1);
  page.post(0);
  page.record(0);
  EXPECT_FALSE(page.poll());
  EXPECT_FALSE(page.has_work(0));
  page.ring(0);
  EXPECT_TRUE(page.poll());
  EXPECT_TRUE(page.has_work(0));
  EXPECT_FALSE(page.poll()) << "a ring is taken once";
  EXPECT_EQ(page.violations(), 0U);
}

TEST(SoftcxDoorbell, overwritten_ring_of_a_shared_page_is_not_lost) {
  Page page("db_shared", 3);
  page.post(0);
  page.record(0);
  page.ring(0);
  page.post(2);
  page.record(2);
  page.ring(2);  // over the first one
  EXPECT_TRUE(page.poll());
  EXPECT_TRUE(page.has_work(0));
  EXPECT_FALSE(page.has_work(1));
  EXPECT_TRUE(page.has_work(2));
  EXPECT_EQ(page.violations(), 0U);
}

TEST(SoftcxDoorbell, coalesced_rings_of_one_queue_are_no_violation) {
  Page page("db_coalesced", 1);
  for (int i = 0; i < 5; ++i) {
    page.post(0);
    page.record(0);
    page.ring(0);
  }
  EXPECT_TRUE(page.poll());
  page.run(0);
  EXPECT_EQ(page.completions.cq.producer, 5U);
  page.post(0);
  page.record(0);
  page.ring(0);
  EXPECT_TRUE(page.poll());
  EXPECT_EQ(page.violations(), 0U);
}

TEST(SoftcxDoorbell, record_that_ran_ahead_of_its_ring_is_no_violation) {
  Page page("db_ahead", 1);
  page.post(0);
  page.record(0);
  page.ring(0);
  page.post(0);
  page.record(0);  // its ring comes after the poll
  EXPECT_TRUE(page.poll());
  page.run(0);
  page.ring(0);
  EXPECT_TRUE(page.poll());
  EXPECT_FALSE(page.has_work(0));
  EXPECT_EQ(page.violations(), 0U);
}

TEST(SoftcxDoorbell, same_word_after_a_restart_is_a_new_ring) {
  Page page("db_same", 1);
  page.post(0);
  page.record(0);
  page.ring(0);
  ASSERT_TRUE(page.poll());
  page.run(0);
  page.restart(0);
  page.post(0);
  page.record(0);
  page.ring(0);
  EXPECT_TRUE(page.poll());
  EXPECT_TRUE(page.has_work(0));
  EXPECT_EQ(page.violations(), 0U);
}

TEST(SoftcxDoorbell, old_record_of_a_restarted_queue_is_no_work) {
  Page page("db_stale", 2);
  for (int i = 0; i < 7; ++i) page.post(0);
  page.record(0);
  page.ring(0);
  ASSERT_TRUE(page.poll());
  page.run(0);
  page.restart(0);  // the driver leaves 7 in the record
  page.post(1);
  page.record(1);
  page.ring(1);
  EXPECT_TRUE(page.poll());
  EXPECT_FALSE(page.has_work(0));
  EXPECT_TRUE(page.has_work(1));
  page.post(0);
  page.record(0);
  page.ring(0);
  EXPECT_TRUE(page.poll());
  page.run(0);
  EXPECT_EQ(static_cast<std::uint16_t>(page.queues[0]->sq.consumer), 1U);
  EXPECT_EQ(page.violations(), 0U);
}

TEST(SoftcxDoorbell, first_ring_after_a_restart_may_be_overwritten) {
  Page page("db_first", 2);
  page.post(0);
  page.record(0);
  page.ring(0);
  page.post(1);
  page.record(1);
  page.ring(1);
  EXPECT_TRUE(page.poll());
  EXPECT_TRUE(page.has_work(0));
  EXPECT_TRUE(page.has_work(1));
}

TEST(SoftcxDoorbell, work_and_rings_survive_a_quiescent_point) {
  Page page("db_quiescent", 1);
  page.post(0);
  page.record(0);
  page.ring(0);
  page.set_up();
  EXPECT_TRUE(page.has_work(0));
  page.run(0);
  page.post(0);
  page.record(0);
  page.set_up();
  page.ring(0);
  EXPECT_TRUE(page.poll());
  EXPECT_TRUE(page.has_work(0));
  EXPECT_EQ(page.violations(), 0U);
}

TEST(SoftcxDoorbell, half_of_all_indexes_may_be_posted_at_once) {
  Page page("db_deepest", 1, 15);
  page.post(0);
  page.record(0);
  page.ring(0);
  EXPECT_TRUE(page.poll());
  page.run(0);
  for (int i = 0; i < 32768; ++i) page.post(0);
  page.record(0);
  page.ring(0);
  EXPECT_TRUE(page.poll());
  EXPECT_TRUE(page.has_work(0));
  EXPECT_EQ(page.queues[0]->sq.state.load(), QueueState::kReady);
  EXPECT_EQ(page.violations(), 0U);
}

TEST(SoftcxDoorbell, word_may_hold_the_producer_index_instead) {
  Page page("db_producer", 1);
  page.post(0);
  page.post(0);
  page.record(0);
  const std::uint32_t words[] = {ringside::byte_swap(2U << 8), ringside::byte_swap(0x200U << 8)};
  std::uint64_t word = 0;
  std::memcpy(&word, words, sizeof(word));
  page.ring_word(word);
  EXPECT_TRUE(page.poll());
  EXPECT_TRUE(page.has_work(0));
  page.run(0);
  page.check(1);
  page.check(2 + DoorbellAudit::kGraceNs);
  EXPECT_EQ(page.violations(), 0U);
}

}  // namespace
}  // namespace softcx::test
