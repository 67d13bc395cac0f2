// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// One ring or record for each rule about doorbells, which breaks that rule only.
#include <gtest/gtest.h>

#include <optional>

#include "lib/softcx/data/doorbell_page.hpp"
#include "tests/unit/broken_rules.hpp"
#include "tests/unit/softcx_data_fixture.hpp"

namespace softcx {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using ringside::kUarDoorbellOffset;

class SoftcxDoorbellRules : public testing::Test {
 protected:
  SoftcxDoorbellRules() {
    queue_.sq.consumer = 0;  // as after a reset
    uar_.page = reinterpret_cast<std::uint8_t*>(memory_);
    page_.emplace(device_, uar_, scheduled_);
  }
  std::uint16_t post() { return queue_.post(ringside::WqeOpcode::kNop, {}); }
  void record(std::uint16_t index) { queue_.write_record(index); }
  void ring(std::uint16_t index) { ring_word(queue_.doorbell(index)); }
  void ring_word(std::uint64_t word) {
    memory_[kUarDoorbellOffset / sizeof(word)] = word;
    page_->poll();
    transmitter_.run(queue_.sq, 1000);
  }
  /// Posts, writes the record, rings.
  std::uint16_t send() {
    const std::uint16_t index = post();
    record(queue_.next);
    ring(index);
    return index;
  }

  Device device_{0, "0000:ca:00.0", "mlx5_rules", "uverbs0", ""};
  NicClock clock_;
  RecordingWire wire_;
  Transmitter transmitter_{device_, wire_, clock_};
  CqUnderTest completions_{8};
  SqUnderTest queue_{device_, completions_.cq, 0x200, 4};
  alignas(4096) std::uint64_t memory_[4096 / sizeof(std::uint64_t)] = {};
  Uar uar_;
  ScheduledSq scheduled_[1] = {{&queue_.sq, &transmitter_, false}};
  std::optional<DoorbellPage> page_;
  RuleWatch rules_;
};

TEST_F(SoftcxDoorbellRules, laps_of_the_ring_break_none) {
  for (int i = 0; i < 100; ++i) send();
  page_->check(1);
  page_->check(2 + DoorbellAudit::kGraceNs);
  EXPECT_EQ(rules_.broken(), std::vector<std::string>{});
}

TEST_F(SoftcxDoorbellRules, ring_for_a_queue_of_another_page) {
  send();
  ring_word(ringside::byte_swap(std::uint64_t{0x201} << 8 | 1));
  RS_EXPECT_BROKEN(rules_, "doorbell.unknown-queue");
}

TEST_F(SoftcxDoorbellRules, ring_before_the_record_is_written) {
  send();
  ring(post());
  RS_EXPECT_BROKEN(rules_, "doorbell.before-record");
}

TEST_F(SoftcxDoorbellRules, ring_with_nothing_new) {
  ring(send());
  RS_EXPECT_BROKEN(rules_, "doorbell.again");
}

TEST_F(SoftcxDoorbellRules, ring_for_less_than_the_one_before) {
  const std::uint16_t first = send();
  send();
  ring(first);
  RS_EXPECT_BROKEN(rules_, "doorbell.backwards");
}

TEST_F(SoftcxDoorbellRules, blueflame_that_brings_another_wqe) {
  const std::uint16_t index = post();
  queue_.block(index)[7] = 4;  // four segments, of which the NOP says nothing
  record(queue_.next);
  for (std::size_t at = 8; at < ringside::kWqeBasicBlock; at += 8) {
    memory_[(kUarDoorbellOffset + at) / 8] = at;
  }
  ring(index);
  RS_EXPECT_BROKEN(rules_, "doorbell.blueflame");
}

TEST_F(SoftcxDoorbellRules, record_that_goes_back) {
  send();
  const std::uint16_t second = send();
  queue_.sq.producer = queue_.next;
  record(second);
  ring(second);
  RS_EXPECT_BROKEN(rules_, "send.record-backwards");
}

TEST_F(SoftcxDoorbellRules, record_beyond_the_ring) {
  const std::uint16_t last = send();
  record(static_cast<std::uint16_t>(queue_.next + 17));
  ring(last);
  RS_EXPECT_BROKEN(rules_, "send.record-beyond-ring");
}

TEST_F(SoftcxDoorbellRules, record_without_a_doorbell) {
  send();
  post();
  record(queue_.next);
  page_->check(1);
  page_->check(2 + DoorbellAudit::kGraceNs);
  RS_EXPECT_BROKEN(rules_, "send.record-without-doorbell");
}

}  // namespace
}  // namespace softcx
