// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/receive_queue.hpp"

#include <gtest/gtest.h>

#include "lib/softcx/data/completion_queue.hpp"
#include "tests/unit/softcx_data_fixture.hpp"

namespace softcx {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using ringside::CqeOpcode;

class SoftcxReceive : public testing::Test {
 protected:
  SoftcxReceive() { verdict_ = {Verdict::Kind::kDeliver, &queue_.rq, false, 0, 0, 0}; }

  Delivery offer(const Bytes& bytes) { return offer(queue_, bytes); }
  Delivery offer(RqUnderTest& queue, const Bytes& bytes) {
    // Two segments, so that every copy crosses from one to the next.
    const auto half = static_cast<std::uint32_t>(bytes.size() / 2);
    const Segment segments[] = {
        {bytes.data(), half},
        {bytes.data() + half, static_cast<std::uint32_t>(bytes.size()) - half}};
    const Frame frame{segments, static_cast<std::uint32_t>(bytes.size())};
    return deliver(queue.rq, frame, verdict_, facts_, 123456789);
  }
  void expect_error(std::uint16_t index, std::uint8_t with_syndrome, Cause cause) {
    const ringside::Cqe* cqe = completions_.poll();
    ASSERT_NE(cqe, nullptr);
    EXPECT_EQ(ringside::cqe_opcode(cqe->op_own), CqeOpcode::kResponderError);
    EXPECT_EQ(syndrome(*cqe), with_syndrome);
    EXPECT_EQ(vendor_syndrome(*cqe), static_cast<std::uint8_t>(cause));
    EXPECT_EQ(cqe->wqe_counter.value(), index);
  }

  Device device_{0, "0000:ca:00.0", "mlx5_recv", "uverbs0", ""};
  CqUnderTest completions_{4};
  RqUnderTest queue_{device_, completions_.cq, 3};
  Region region_{device_, 16384};
  Verdict verdict_;
  HeaderFacts facts_{ringside::kCqeL2Ok | ringside::kCqeL3Ok,
                     ringside::kCqeL3Ipv4 | ringside::kCqeL4Udp};
};

TEST_F(SoftcxReceive, frame_and_its_facts_arrive) {
  verdict_.marked = true;
  verdict_.flow_tag = 0xff123456;
  verdict_.rss_hash = 0xdeadbeef;
  verdict_.rss_hash_type = 0x3c;
  queue_.post(2048, region_.lkey, region_.address(100));
  const Bytes sent = pattern(77);
  ASSERT_EQ(offer(sent), Delivery::kDelivered);
  EXPECT_TRUE(std::equal(sent.begin(), sent.end(), region_.bytes.begin() + 100));
  EXPECT_EQ(region_.bytes[177], 0);
  const ringside::Cqe* cqe = completions_.poll();
  ASSERT_NE(cqe, nullptr);
  EXPECT_EQ(ringside::cqe_opcode(cqe->op_own), CqeOpcode::kResponderSend);
  EXPECT_EQ(cqe->byte_count.value(), 77U);
  EXPECT_EQ(cqe->wqe_counter.value(), 0U);
  EXPECT_EQ(cqe->rx_hash_result.value(), 0xdeadbeefU);
  EXPECT_EQ(cqe->rx_hash_type, 0x3c);
  EXPECT_EQ(cqe->sop_qpn.value(), 0x123456U);
  EXPECT_EQ(cqe->header_flags, facts_.header_flags);
  EXPECT_EQ(cqe->header_types, facts_.header_types);
  EXPECT_EQ(cqe->timestamp.value(), 123456789U);
  EXPECT_EQ(cqe->user_index[0] << 16 | cqe->user_index[1] << 8 | cqe->user_index[2], 0x0a0b0c);
}

TEST_F(SoftcxReceive, unmarked_packet_has_no_tag) {
  verdict_.flow_tag = 0x123456;
  queue_.post(2048, region_.lkey, region_.address(0));
  ASSERT_EQ(offer(pattern(60)), Delivery::kDelivered);
  EXPECT_EQ(completions_.poll()->sop_qpn.value(), 0U);
}

TEST_F(SoftcxReceive, owner_bit_turns_with_each_lap_of_the_ring) {
  for (int i = 0; i < 50; ++i) {
    queue_.post(2048, region_.lkey, region_.address(0));
    ASSERT_EQ(offer(pattern(60)), Delivery::kDelivered);
    const ringside::Cqe* cqe = completions_.poll();
    ASSERT_NE(cqe, nullptr);
    EXPECT_EQ(cqe->wqe_counter.value(), i);
    EXPECT_EQ(completions_.poll(), nullptr);
    completions_.give_back();
  }
}

TEST_F(SoftcxReceive, nothing_posted_is_no_buffer_and_changes_nothing) {
  EXPECT_EQ(offer(pattern(60)), Delivery::kNoBuffer);
  EXPECT_EQ(queue_.rq.consumer, 0U);
  EXPECT_EQ(completions_.poll(), nullptr);
}

TEST_F(SoftcxReceive, frame_is_scattered_over_the_list) {
  RqUnderTest queue(device_, completions_.cq, 2, 6);
  put_data_segment(queue.wqe(0), 10, region_.lkey, region_.address(0));
  put_data_segment(queue.wqe(0) + 16, 20, region_.lkey, region_.address(1000));
  put_data_segment(queue.wqe(0) + 32, 40, region_.lkey, region_.address(2000));
  put_data_segment(queue.wqe(0) + 48, 0, ringside::kInvalidLkey, 0);
  queue.write_record(1);
  const Bytes sent = pattern(70);
  ASSERT_EQ(offer(queue, sent), Delivery::kDelivered);
  EXPECT_TRUE(std::equal(sent.begin(), sent.begin() + 10, region_.bytes.begin()));
  EXPECT_TRUE(std::equal(sent.begin() + 10, sent.begin() + 30, region_.bytes.begin() + 1000));
  EXPECT_TRUE(std::equal(sent.begin() + 30, sent.end(), region_.bytes.begin() + 2000));
}

TEST_F(SoftcxReceive, frame_longer_than_the_list_costs_one_packet_only) {
  RqUnderTest queue(device_, completions_.cq, 2, 5);
  for (int i = 0; i < 2; ++i) {
    put_data_segment(queue.wqe(static_cast<std::uint16_t>(i)), 64, region_.lkey,
                     region_.address(0));
    put_data_segment(queue.wqe(static_cast<std::uint16_t>(i)) + 16, 64, ringside::kInvalidLkey, 0);
  }
  queue.write_record(2);
  EXPECT_EQ(offer(queue, pattern(65)), Delivery::kLengthError);
  expect_error(0, 0x01, Cause::kScatterList);
  EXPECT_EQ(region_.bytes[0], 0);
  EXPECT_EQ(offer(queue, pattern(64)), Delivery::kDelivered);
  ASSERT_NE(completions_.poll(), nullptr);
}

TEST_F(SoftcxReceive, bad_key_stops_the_queue_and_flushes_what_is_posted) {
  queue_.post(2048, region_.lkey + 1, region_.address(0));
  queue_.post(2048, region_.lkey, region_.address(0));
  EXPECT_EQ(offer(pattern(60)), Delivery::kProtection);
  expect_error(0, 0x04, Cause::kMemoryKey);
  expect_error(1, 0x05, Cause::kFlushed);
  EXPECT_EQ(completions_.poll(), nullptr);
  EXPECT_EQ(queue_.rq.state.load(), QueueState::kError);
  queue_.post(2048, region_.lkey, region_.address(0));
  EXPECT_EQ(offer(pattern(60)), Delivery::kNotReady);
  expect_error(2, 0x05, Cause::kFlushed);
}

TEST_F(SoftcxReceive, key_without_local_write_is_a_protection_error) {
  const Region read_only(device_, 4096, false);
  queue_.post(2048, read_only.lkey, read_only.address(0));
  EXPECT_EQ(offer(pattern(60)), Delivery::kProtection);
  expect_error(0, 0x04, Cause::kMemoryKey);
}

TEST_F(SoftcxReceive, buffer_that_passes_the_end_of_the_key_is_a_protection_error) {
  queue_.post(2048, region_.lkey, region_.address(region_.bytes.size() - 60));
  queue_.post(2048, region_.lkey, region_.address(region_.bytes.size() - 60));
  EXPECT_EQ(offer(pattern(60)), Delivery::kDelivered);
  EXPECT_EQ(offer(pattern(61)), Delivery::kProtection);
}

TEST_F(SoftcxReceive, byte_count_of_zero_is_no_end_of_the_list) {
  queue_.post(0, region_.lkey, region_.address(0));
  EXPECT_EQ(offer(pattern(60)), Delivery::kDelivered) << "0 means 2^31 bytes";
}

TEST_F(SoftcxReceive, more_posted_than_the_ring_holds_is_a_violation) {
  queue_.rq.rqn = 0xbad3;
  queue_.write_record(9);
  EXPECT_EQ(offer(pattern(60)), Delivery::kNotReady);
  EXPECT_EQ(violations_with("receive queue 0xbad3: the doorbell record says 9 with 0 consumed"),
            1U);
  EXPECT_EQ(queue_.rq.state.load(), QueueState::kError);
}

TEST_F(SoftcxReceive, wqes_that_a_bad_record_promises_are_not_flushed) {
  queue_.rq.rqn = 0xbad6;
  queue_.write_record(9);
  EXPECT_EQ(offer(pattern(60)), Delivery::kNotReady);
  expect_error(0, 0x02, Cause::kProducerIndex);
  EXPECT_EQ(offer(pattern(60)), Delivery::kNotReady);
  EXPECT_EQ(completions_.poll(), nullptr);
  EXPECT_EQ(queue_.rq.consumer, 0U);
  EXPECT_FALSE(completions_.cq.failed.load());
}

TEST_F(SoftcxReceive, flush_leaves_a_queue_alone_that_is_not_in_error) {
  queue_.post(2048, region_.lkey, region_.address(0));
  flush_in_error(queue_.rq);
  EXPECT_EQ(completions_.poll(), nullptr);
  queue_.rq.state.store(QueueState::kError);
  flush_in_error(queue_.rq);
  expect_error(0, 0x05, Cause::kFlushed);
}

TEST_F(SoftcxReceive, completion_into_a_full_queue_is_an_overrun) {
  CqUnderTest small(1);
  small.cq.cqn = 0xbad4;
  queue_.rq.cq = &small.cq;
  for (int i = 0; i < 4; ++i) queue_.post(2048, region_.lkey, region_.address(0));
  EXPECT_EQ(offer(pattern(60)), Delivery::kDelivered);
  EXPECT_EQ(offer(pattern(60)), Delivery::kDelivered);
  EXPECT_EQ(offer(pattern(60)), Delivery::kCqOverrun);
  EXPECT_EQ(violations_with("completion queue 0xbad4: overrun"), 1U);
  EXPECT_EQ(offer(pattern(60)), Delivery::kNotReady);
}

TEST_F(SoftcxReceive, queue_in_reset_takes_nothing) {
  queue_.rq.state.store(QueueState::kReset);
  queue_.post(2048, region_.lkey, region_.address(0));
  EXPECT_EQ(offer(pattern(60)), Delivery::kNotReady);
  EXPECT_EQ(completions_.poll(), nullptr);
}

TEST_F(SoftcxReceive, stripped_vlan_tag_is_in_the_completion) {
  queue_.rq.vlan_strip_disable = false;
  queue_.post(2048, region_.lkey, region_.address(0));
  Bytes tagged = pattern(64);
  tagged[12] = 0x81, tagged[13] = 0x00, tagged[14] = 0x60, tagged[15] = 0x2a;
  ASSERT_EQ(offer(tagged), Delivery::kDelivered);
  const ringside::Cqe* cqe = completions_.poll();
  ASSERT_NE(cqe, nullptr);
  EXPECT_EQ(cqe->byte_count.value(), 60U);
  EXPECT_EQ(cqe->vlan_info.value(), 0x602aU);
  EXPECT_EQ(cqe->header_types & 1, 1);
  tagged.erase(tagged.begin() + 12, tagged.begin() + 16);
  EXPECT_TRUE(std::equal(tagged.begin(), tagged.end(), region_.bytes.begin()));
}

TEST_F(SoftcxReceive, untagged_frame_is_not_stripped) {
  queue_.rq.vlan_strip_disable = false;
  queue_.post(2048, region_.lkey, region_.address(0));
  const Bytes sent = pattern(64);
  ASSERT_EQ(offer(sent), Delivery::kDelivered);
  EXPECT_EQ(completions_.poll()->byte_count.value(), 64U);
  EXPECT_TRUE(std::equal(sent.begin(), sent.end(), region_.bytes.begin()));
}

TEST_F(SoftcxReceive, queue_that_is_restarted_between_two_frames_has_its_record_read_anew) {
  const Bytes bytes = pattern(60);
  const Segment segment{bytes.data(), 60};
  const Frame frame{{&segment, 1}, 60};
  queue_.rq.state.store(QueueState::kReset);
  queue_.rq.consumer = 5;  // of before the reset; the record is at 0 already
  RqWriter writer(queue_.rq, 0, nullptr);
  EXPECT_EQ(writer.deliver(frame, verdict_, facts_), Delivery::kNotReady);
  queue_.rq.consumer = 0;
  queue_.rq.state.store(QueueState::kReady);
  EXPECT_EQ(writer.deliver(frame, verdict_, facts_), Delivery::kNoBuffer);
  EXPECT_EQ(queue_.rq.consumer, 0U);
  queue_.post(2048, region_.lkey, region_.address(0));
  EXPECT_EQ(writer.deliver(frame, verdict_, facts_), Delivery::kDelivered);
  EXPECT_EQ(writer.deliver(frame, verdict_, facts_), Delivery::kNoBuffer);
}

}  // namespace
}  // namespace softcx
