// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// One receive WQE, record or completion queue for each rule about them, which breaks that only.
#include <gtest/gtest.h>

#include "lib/softcx/data/receive_queue.hpp"
#include "lib/softcx/data/watch_posts.hpp"
#include "lib/softcx/nic/posted_buffers.hpp"
#include "tests/unit/broken_rules.hpp"
#include "tests/unit/softcx_data_fixture.hpp"

namespace softcx {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

class SoftcxReceiveRules : public testing::Test {
 protected:
  SoftcxReceiveRules() { device_.posted = &posted_; }

  Delivery offer() {
    const Segment segment{frame_.data(), static_cast<std::uint32_t>(frame_.size())};
    const Verdict verdict{Verdict::Kind::kDeliver, &queue_.rq, false, 0, 0, 0};
    return deliver(queue_.rq, {{&segment, 1}, segment.length}, verdict, {}, 0);
  }
  void post(std::uint32_t lkey, std::uint64_t address) { queue_.post(2048, lkey, address); }
  /// Slot i has buffer i.
  void post_good() { post(region_.lkey, region_.address(queue_.next % 8 * 2048U)); }

  PostedBuffers posted_;
  Device device_{0, "0000:ca:00.0", "mlx5_rules", "uverbs0", ""};
  CqUnderTest completions_{2};
  RqUnderTest queue_{device_, completions_.cq, 3};
  Region region_{device_, 16384};
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

TEST_F(SoftcxReceiveRules, record_that_goes_back) {
  for (int i = 0; i < 3; ++i) post_good();
  offer();
  queue_.write_record(2);
  watch_posts(queue_.rq);
  RS_EXPECT_BROKEN(rules_, "receive.record-backwards");
}

TEST_F(SoftcxReceiveRules, highest_bit_of_a_byte_count) {
  queue_.post(2048 | ringside::kInlineData, region_.lkey, region_.address(0));
  EXPECT_EQ(offer(), Delivery::kDelivered);
  RS_EXPECT_BROKEN(rules_, "receive.byte-count");
}

TEST_F(SoftcxReceiveRules, wqe_that_is_written_while_it_is_the_nics) {
  for (int i = 0; i < 2; ++i) post_good();
  watch_posts(queue_.rq);
  put_data_segment(queue_.wqe(1), 2047, region_.lkey, region_.address(2048));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(offer(), Delivery::kDelivered);
  RS_EXPECT_BROKEN(rules_, "receive.wqe-changed");
}

TEST_F(SoftcxReceiveRules, what_comes_behind_the_end_of_a_scatter_list_is_the_programs) {
  RqUnderTest queue(device_, completions_.cq, 2, 6);
  queue.rq.strides = {.log_count = 3, .log_bytes = 6};
  put_data_segment(queue.wqe(0) + 16, 512, region_.lkey, region_.address(0));
  put_data_segment(queue.wqe(0) + 32, 0, ringside::kInvalidLkey, 0);
  queue.write_record(1);
  watch_posts(queue.rq);
  std::fill_n(queue.wqe(0), 16, std::uint8_t{0x5a});       // of lists that are linked
  std::fill_n(queue.wqe(0) + 48, 16, std::uint8_t{0x5a});  // behind the end
  fail_next(queue.rq, {ringside::CqeSyndrome::kLocalLength, Cause::kInjected});
  EXPECT_EQ(rules_.broken(), std::vector<std::string>{});
  queue.write_record(2);
  put_data_segment(queue.wqe(1) + 16, 512, region_.lkey, region_.address(0));
  put_data_segment(queue.wqe(1) + 32, 0, ringside::kInvalidLkey, 0);
  watch_posts(queue.rq);
  put_data_segment(queue.wqe(1) + 32, 64, region_.lkey, region_.address(1024));
  fail_next(queue.rq, {ringside::CqeSyndrome::kLocalLength, Cause::kInjected});
  RS_EXPECT_BROKEN(rules_, "receive.wqe-changed");
}

TEST_F(SoftcxReceiveRules, two_posted_buffers_with_a_byte_in_common) {
  post_good();
  post(region_.lkey, region_.address(2047));
  watch_posts(queue_.rq);
  RS_EXPECT_BROKEN(rules_, "receive.buffer-overlap");
}

TEST_F(SoftcxReceiveRules, buffer_of_a_slot_that_is_posted_again_in_time_breaks_none) {
  post_good();
  EXPECT_EQ(offer(), Delivery::kDelivered);
  post(region_.lkey, region_.address(0));
  watch_posts(queue_.rq);
  EXPECT_EQ(rules_.broken(), std::vector<std::string>{});
}

TEST_F(SoftcxReceiveRules, memory_that_is_registered_twice_is_one_memory) {
  Bytes view(4096);  // the NIC's second view of the same memory
  auto key = std::make_unique<Mkey>();
  key->pdn = Region::kPdn;
  key->iova = 0x1000;
  key->local_write = true;
  key->memory = {view.data(), view.size(), nullptr, 0, nullptr, region_.address(0)};
  const std::uint32_t lkey = device_.add_mkey(std::move(key));
  post_good();
  post(lkey, 0x1000 + 2000);
  watch_posts(queue_.rq);
  RS_EXPECT_BROKEN(rules_, "receive.buffer-overlap");
}

TEST_F(SoftcxReceiveRules, slot_that_is_posted_while_its_packet_is_still_to_be_sent) {
  SqUnderTest sends(device_, completions_.cq, 0x200, 4);
  sends.post(ringside::WqeOpcode::kSend, send_body(region_.lkey, region_.address(60), 60));
  sends.sq.producer = sends.next;
  watch_posts(sends.sq);
  post_good();
  watch_posts(queue_.rq);
  RS_EXPECT_BROKEN(rules_, "receive.buffer-sent");
}

TEST_F(SoftcxReceiveRules, packet_that_is_sent_from_a_posted_slot) {
  post_good();
  watch_posts(queue_.rq);
  SqUnderTest sends(device_, completions_.cq, 0x200, 4);
  for (int i = 0; i < 2; ++i) {  // that two sends read the same is no fault
    sends.post(ringside::WqeOpcode::kSend, send_body(region_.lkey, region_.address(60), 60));
  }
  sends.sq.producer = sends.next;
  watch_posts(sends.sq);
  RS_EXPECT_BROKEN(rules_, "receive.buffer-sent");
}

TEST_F(SoftcxReceiveRules, of_shared_buffers_only_what_packets_have_taken_may_be_sent) {
  RqUnderTest queue(device_, completions_.cq, 2, 6);
  queue.rq.strides = {.log_count = 3, .log_bytes = 6};
  put_data_segment(queue.wqe(0) + 16, 96, region_.lkey, region_.address(0));
  put_data_segment(queue.wqe(0) + 32, 416, region_.lkey, region_.address(4096));
  put_data_segment(queue.wqe(0) + 48, 0, ringside::kInvalidLkey, 0);
  queue.write_record(1);
  const Segment segment{frame_.data(), 60};
  const Verdict verdict{Verdict::Kind::kDeliver, &queue.rq, false, 0, 0, 0};
  SqUnderTest sends(device_, completions_.cq, 0x200, 4);
  const auto receive = [&] {
    ASSERT_EQ(deliver(queue.rq, {{&segment, 1}, 60}, verdict, {}, 0), Delivery::kDelivered);
  };
  const auto send = [&](std::size_t at) {
    sends.post(ringside::WqeOpcode::kSend, send_body(region_.lkey, region_.address(at), 60));
    sends.sq.producer = sends.next;
    watch_posts(sends.sq);
  };
  receive();
  send(0);
  receive();  // bytes 64 to 127: the rest of the first buffer, and 32 of the second
  send(36);
  send(4096 - 28);
  EXPECT_EQ(rules_.broken(), std::vector<std::string>{});
  send(4096 + 32);
  RS_EXPECT_BROKEN(rules_, "receive.buffer-sent");
}

TEST_F(SoftcxReceiveRules, queue_in_error_has_nothing_posted) {
  post_good();
  watch_posts(queue_.rq);
  stop(queue_.rq);
  RqUnderTest other(device_, completions_.cq, 3);
  other.post(2048, region_.lkey, region_.address(0));
  watch_posts(other.rq);
  EXPECT_EQ(rules_.broken(), std::vector<std::string>{});
}

TEST_F(SoftcxReceiveRules, consumer_index_that_goes_back) {
  for (int i = 0; i < 3; ++i) post_good();
  offer();
  ASSERT_NE(completions_.poll(), nullptr);
  completions_.give_back();
  offer();
  completions_.record.consumer_index = ringside::Be32::of(0);
  offer();
  RS_EXPECT_BROKEN(rules_, "cq.consumer-backwards");
}

TEST_F(SoftcxReceiveRules, entry_that_looks_valid_before_it_is_written) {
  completions_.ring[0].op_own = 0x20;
  post_good();
  offer();
  RS_EXPECT_BROKEN(rules_, "cq.owner-bits");
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
  put_data_segment(queue.wqe(0) + 16, 100, region_.lkey, region_.address(16384 - 49));
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
