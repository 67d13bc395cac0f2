// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/doorbell_page.hpp"

#include <gtest/gtest.h>

#include "tests/unit/softcx_data_fixture.hpp"

namespace softcx {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using ringside::WqeOpcode;

/// A page with `count` queues. Each test has a device of its own name, for its violations.
class Page {
 public:
  Page(const std::string& name, std::size_t count, std::uint32_t log_depth = 6)
      : device_(0, "0000:ca:00.0", name, "uverbs0", ""),
        transmitter_(device_, wire_, clock_),
        memory_(4096 / sizeof(std::uint64_t)) {
    uar_.page_id = 3;
    uar_.page = reinterpret_cast<std::uint8_t*>(memory_.data());
    for (std::size_t i = 0; i < count; ++i) {
      queues.push_back(std::make_unique<SqUnderTest>(
          device_, completions.cq, 0x200 + static_cast<std::uint32_t>(i), log_depth));
      queues.back()->sq.consumer = 0;  // as after a reset
    }
    set_up();
  }
  /// What the engine does at each quiescent point.
  void set_up() {
    scheduled_.clear();
    for (const auto& queue : queues) scheduled_.push_back({&queue->sq, &transmitter_, false});
    page_.emplace(device_, uar_, scheduled_);
  }
  void post(std::size_t queue) { last_ = queues[queue]->post(WqeOpcode::kNop, {}); }
  void post(std::size_t queue, std::size_t length) {
    last_ = queues[queue]->post(WqeOpcode::kSend, send_body(region_.lkey, region_.address(0),
                                                            static_cast<std::uint32_t>(length)));
  }
  /// The 56 bytes behind the doorbell word of the last WQE, and the whole of it.
  void flame_tail(std::size_t queue, std::size_t offset) {
    for (std::size_t at = 8; at < ringside::kWqeBasicBlock; at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, queues[queue]->block(last_) + at, sizeof(word));
      std::atomic_ref(memory_[(offset + at) / 8]).store(word, std::memory_order_relaxed);
    }
  }
  void flame(std::size_t queue, std::size_t offset) {
    flame_tail(queue, offset);
    ring(queue, offset);
  }
  void scorch(std::size_t offset) { memory_[offset / 8] ^= 1; }
  void record(std::size_t queue) { queues[queue]->write_record(queues[queue]->next); }
  void ring(std::size_t queue, std::size_t offset = ringside::kUarDoorbellOffset) {
    ring_word(queues[queue]->doorbell(last_), offset);
  }
  void ring_word(std::uint64_t word, std::size_t offset = ringside::kUarDoorbellOffset) {
    memory_[offset / sizeof(word)] = word;
  }
  std::uint64_t last_word() { return queues[0]->doorbell(last_); }
  bool poll() { return page_->poll(); }
  void check(std::uint64_t now_ns) { page_->check(now_ns); }
  bool has_work(std::size_t queue) const { return scheduled_[queue].has_work(); }
  void run(std::size_t queue) { transmitter_.run(queues[queue]->sq, 1000); }
  std::size_t violations() const { return violations_with(device_.ibdev + ":"); }
  std::size_t violations(const std::string& what) const {
    return violations_with(device_.ibdev + ": " + what);
  }
  /// As MODIFY_SQ ready -> reset -> ready does it; the driver does not touch the record.
  void restart(std::size_t queue) {
    SqUnderTest& under_test = *queues[queue];
    under_test.sq.state.store(QueueState::kReset);
    set_up();
    under_test.sq.consumer = 0;
    under_test.next = 0;
    under_test.sq.state.store(QueueState::kReady);
    set_up();
  }

  std::vector<std::unique_ptr<SqUnderTest>> queues;
  CqUnderTest completions{8};

 private:
  Device device_;
  Region region_{device_, 4096};
  NicClock clock_;
  RecordingWire wire_;
  Transmitter transmitter_;
  std::vector<std::uint64_t> memory_;
  Uar uar_;
  std::vector<ScheduledSq> scheduled_;
  std::optional<DoorbellPage> page_;
  std::uint16_t last_ = 0;
};

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

TEST(SoftcxDoorbell, blueflame_brings_the_wqe_that_the_ring_holds) {
  Page page("db_flame", 1);
  for (std::size_t i = 0; i < 6; ++i) {
    page.post(0, 60 + i);
    page.record(0);
    page.flame(0, 0x800 + i % 2 * 0x100);
    EXPECT_TRUE(page.poll());
    page.run(0);
  }
  page.post(0, 77);  // and a doorbell alone, over what the last one has left
  page.record(0);
  page.ring(0);
  EXPECT_TRUE(page.poll());
  EXPECT_EQ(page.violations(), 0U);
}

TEST(SoftcxDoorbell, blueflame_with_another_wqe_than_the_rings_is_named) {
  Page page("db_other_flame", 1);
  page.post(0, 60);
  page.record(0);
  page.flame(0, 0x800);
  page.scorch(0x800 + 40);
  EXPECT_TRUE(page.poll());
  EXPECT_EQ(page.violations("send queue 0x200: BlueFlame brought another WQE"), 1U);
}

TEST(SoftcxDoorbell, ring_of_the_other_buffer_may_be_seen_late) {
  Page page("db_late", 1);
  const auto post_and_ring = [&](std::size_t offset) {
    page.post(0);
    page.record(0);
    page.ring(0, offset);
  };
  post_and_ring(0x800);
  EXPECT_TRUE(page.poll());
  post_and_ring(0x900);
  EXPECT_TRUE(page.poll());
  page.post(0);
  page.record(0);
  const std::uint64_t first = page.last_word();
  post_and_ring(0x900);
  EXPECT_TRUE(page.poll());
  page.ring_word(first, 0x800);  // was under way
  EXPECT_TRUE(page.poll());
  EXPECT_EQ(page.violations(), 0U);
  page.ring_word(first, 0x900);
  EXPECT_TRUE(page.poll());
  EXPECT_EQ(page.violations("send queue 0x200: rung backwards"), 1U);
}

TEST(SoftcxDoorbell, alternate_blueflame_buffer_rings_too) {
  Page page("db_alternate", 1);
  page.post(0);
  page.record(0);
  page.ring(0, 0x900);
  EXPECT_TRUE(page.poll());
  EXPECT_TRUE(page.has_work(0));
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
}  // namespace softcx
