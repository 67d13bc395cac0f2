// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Frames that send WQEs make, and their completions.
#include "tests/unit/softcx_data_send_fixture.hpp"

namespace softcx::test {
namespace {

TEST_F(SoftcxSend, one_data_segment_reaches_the_wire_and_completes) {
  const std::uint16_t index = post_frame(100);
  run();
  ASSERT_EQ(wire_.sent.size(), 1U);
  EXPECT_EQ(wire_.sent[0], Bytes(frame_.begin(), frame_.begin() + 100));
  const ringside::Cqe* cqe = completions_.poll();
  ASSERT_NE(cqe, nullptr);
  EXPECT_EQ(ringside::cqe_opcode(cqe->op_own), CqeOpcode::kRequester);
  EXPECT_EQ(cqe->wqe_counter.value(), index);
  EXPECT_EQ(cqe->sop_qpn.value(), 0x0aU << 24 | kSqn);
  EXPECT_EQ(cqe->timestamp.value(), clock_.now_ns());
  EXPECT_EQ(device_.counters.tx_packets.load(), 1U);
  EXPECT_EQ(device_.counters.tx_bytes.load(), 100U);
}

TEST_F(SoftcxSend, completion_comes_only_where_it_was_asked_for) {
  post_frame(60, ringside::kCeOnError);
  const std::uint16_t last = post_frame(60);
  run();
  EXPECT_EQ(wire_.sent.size(), 2U);
  ASSERT_NE(completions_.poll(), nullptr);
  EXPECT_EQ(completions_.ring[0].wqe_counter.value(), last);
  EXPECT_EQ(completions_.poll(), nullptr);
}

TEST_F(SoftcxSend, inline_header_is_joined_with_the_data_segment) {
  Bytes body(16 + 16 + 16);  // 18 inline bytes: 2 in the Ethernet segment, 16 behind it
  body[12] = 0, body[13] = 18;
  std::copy_n(frame_.begin(), 18, body.begin() + 14);
  put_data_segment(body.data() + 32, 82, region_.lkey, region_.address(18));
  queue_.post(WqeOpcode::kSend, body);
  run();
  ASSERT_EQ(wire_.sent.size(), 1U);
  EXPECT_EQ(wire_.sent[0], Bytes(frame_.begin(), frame_.begin() + 100));
}

TEST_F(SoftcxSend, inline_data_segments_are_sent_from_the_ring_across_its_end) {
  for (int round = 0; round < 3; ++round) {
    Bytes body(kEth + 4 + 900);  // 15 blocks of a ring of 32: the third one wraps
    const std::uint32_t count = ringside::byte_swap(ringside::kInlineData | 900U);
    std::memcpy(body.data() + kEth, &count, 4);
    std::copy_n(frame_.begin(), 900, body.begin() + kEth + 4);
    queue_.post(WqeOpcode::kSend, body);
    run();
    ASSERT_EQ(wire_.sent.size(), static_cast<std::size_t>(round) + 1);
    EXPECT_EQ(wire_.sent.back(), Bytes(frame_.begin(), frame_.begin() + 900));
  }
}

TEST_F(SoftcxSend, gather_list_of_three_segments_is_one_frame) {
  Bytes body(kEth + 3 * 16);
  for (std::size_t i = 0; i < 3; ++i) {
    put_data_segment(body.data() + kEth + i * 16, 30, region_.lkey, region_.address(i * 30));
  }
  queue_.post(WqeOpcode::kSend, body);
  run();
  ASSERT_EQ(wire_.sent.size(), 1U);
  EXPECT_EQ(wire_.sent[0], Bytes(frame_.begin(), frame_.begin() + 90));
}

TEST_F(SoftcxSend, multi_packet_wqe_sends_each_segment_as_a_frame) {
  Bytes body(kEth + 16 + 32 + 16);
  put_data_segment(body.data() + kEth, 60, region_.lkey, region_.address(0));
  const std::uint32_t count = ringside::byte_swap(ringside::kInlineData | 20U);
  std::memcpy(body.data() + kEth + 16, &count, 4);
  std::copy_n(frame_.begin(), 20, body.begin() + kEth + 20);
  put_data_segment(body.data() + kEth + 48, 70, region_.lkey, region_.address(60));
  queue_.post(WqeOpcode::kEnhancedMpw, body);
  run();
  ASSERT_EQ(wire_.sent.size(), 3U);
  EXPECT_EQ(wire_.sent[0], Bytes(frame_.begin(), frame_.begin() + 60));
  EXPECT_EQ(wire_.sent[1], Bytes(frame_.begin(), frame_.begin() + 20));
  EXPECT_EQ(wire_.sent[2], Bytes(frame_.begin() + 60, frame_.begin() + 130));
  ASSERT_NE(completions_.poll(), nullptr);
  EXPECT_EQ(completions_.poll(), nullptr);
}

TEST_F(SoftcxSend, nop_completes_and_sends_nothing) {
  const std::uint16_t index = queue_.post(WqeOpcode::kNop, {});
  run();
  EXPECT_TRUE(wire_.sent.empty());
  const ringside::Cqe* cqe = completions_.poll();
  ASSERT_NE(cqe, nullptr);
  EXPECT_EQ(cqe->wqe_counter.value(), index);
  EXPECT_EQ(cqe->sop_qpn.value() >> 24, 0U);
}

TEST_F(SoftcxSend, budget_leaves_the_rest_for_the_next_turn) {
  for (int i = 0; i < 10; ++i) post_frame(60);
  queue_.sq.producer = queue_.next;
  transmitter_.run(queue_.sq, 6);
  EXPECT_EQ(wire_.sent.size(), 6U);
  transmitter_.run(queue_.sq, 1000);
  EXPECT_EQ(wire_.sent.size(), 10U);
}

TEST_F(SoftcxSend, frame_above_the_mtu_is_dropped_and_still_completes) {
  device_.mtu.store(1500);
  post_frame(1514);
  post_frame(1515);
  run();
  EXPECT_EQ(wire_.sent.size(), 1U);
  EXPECT_EQ(device_.counters.tx_oversize.load(), 1U);
  EXPECT_NE(completions_.poll(), nullptr);
  EXPECT_NE(completions_.poll(), nullptr);
}

TEST_F(SoftcxSend, each_vlan_tag_allows_four_bytes_more) {
  region_.bytes[12] = 0x81, region_.bytes[13] = 0x00;
  post_frame(1518);
  post_frame(1519);
  run();
  EXPECT_EQ(wire_.sent.size(), 1U);
  region_.bytes[12] = 0x88, region_.bytes[13] = 0xa8;
  region_.bytes[16] = 0x81, region_.bytes[17] = 0x00;
  post_frame(1522);
  post_frame(1523);
  run();
  EXPECT_EQ(wire_.sent.size(), 2U);
  EXPECT_EQ(device_.counters.tx_oversize.load(), 2U);
}

TEST_F(SoftcxSend, frame_below_an_ethernet_header_is_a_runt) {
  post_frame(13);
  post_frame(14);
  run();
  EXPECT_EQ(wire_.sent.size(), 1U);
  EXPECT_EQ(device_.counters.tx_runt.load(), 1U);
}

TEST_F(SoftcxSend, frame_that_the_wire_does_not_take_is_counted) {
  wire_.full = true;
  post_frame(60);
  run();
  EXPECT_EQ(device_.counters.tx_wire_full.load(), 1U);
  EXPECT_EQ(device_.counters.tx_packets.load(), 0U);
  EXPECT_NE(completions_.poll(), nullptr);
}

TEST_F(SoftcxSend, vlan_tag_is_inserted_behind_the_addresses) {
  const std::uint16_t index = post_frame(60);
  queue_.block(index)[16 + 12] = 0x80;
  queue_.block(index)[16 + 14] = 0x20, queue_.block(index)[16 + 15] = 0x05;
  run();
  Bytes expected(frame_.begin(), frame_.begin() + 12);
  expected.insert(expected.end(), {0x81, 0x00, 0x20, 0x05});
  expected.insert(expected.end(), frame_.begin() + 12, frame_.begin() + 60);
  ASSERT_EQ(wire_.sent.size(), 1U);
  EXPECT_EQ(wire_.sent[0], expected);
}

TEST_F(SoftcxSend, checksums_are_filled_in_where_asked) {
  // Made with scapy: Ether/IP(src=192.168.0.1, dst=192.168.0.2, ttl=64)/UDP(53, 53)/'ring'.
  const Bytes right = {0x02, 0,    0,    0,    0,    2,    0x02, 0,    0,    0,    0,  1,
                       0x08, 0x00, 0x45, 0x00, 0x00, 0x20, 0x00, 0x01, 0x00, 0x00, 64, 17,
                       0xf9, 0x78, 192,  168,  0,    1,    192,  168,  0,    2,    0,  53,
                       0,    53,   0,    12,   0x9d, 0x47, 'r',  'i',  'n',  'g'};
  std::copy(right.begin(), right.end(), region_.bytes.begin());
  for (const std::size_t at : {24U, 25U, 40U, 41U}) region_.bytes[at] = 0xee;
  const std::uint16_t index = post_frame(right.size());
  queue_.block(index)[16 + 4] = ringside::kCsL3 | ringside::kCsL4;
  run();
  ASSERT_EQ(wire_.sent.size(), 1U);
  EXPECT_EQ(wire_.sent[0], right);
  EXPECT_EQ(region_.bytes[24], 0xee) << "the application's memory must stay as it is";
}

TEST_F(SoftcxSend, checksums_inside_a_tunnel_have_bits_of_their_own) {
  // Made with scapy: Ether/IP/GRE(key_present=1)/IP/UDP(53, 54)/'ring'.
  const Bytes right = {0x02, 0,    0,    0,    0,    2,    0x02, 0,    0,    0,    0,    1,    0x08,
                       0x00, 0x45, 0x00, 0x00, 0x3c, 0x00, 0x01, 0x00, 0x00, 0x40, 0x2f, 0xf9, 0x3e,
                       192,  168,  0,    1,    192,  168,  0,    2,    0x20, 0x00, 0x08, 0x00, 0,
                       0,    0,    5,    0x45, 0x00, 0x00, 0x20, 0x00, 0x01, 0x00, 0x00, 0x40, 0x11,
                       0x66, 0xca, 10,   0,    0,    1,    10,   0,    0,    2,    0,    53,   0,
                       54,   0,    12,   0x0a, 0x98, 'r',  'i',  'n',  'g'};
  std::copy(right.begin(), right.end(), region_.bytes.begin());
  for (const std::size_t at : {24U, 52U, 68U}) region_.bytes[at] = region_.bytes[at + 1] = 0xee;
  const std::uint16_t index = post_frame(right.size());
  queue_.block(index)[16 + 4] = ringside::kCsL3 | ringside::kCsInnerL3 | ringside::kCsInnerL4;
  run();
  ASSERT_EQ(wire_.sent.size(), 1U);
  EXPECT_EQ(wire_.sent[0], right);
}

TEST_F(SoftcxSend, completion_into_a_full_queue_is_an_overrun) {
  CqUnderTest small(1);
  device_.counters.tx_packets.store(0);
  queue_.sq.cq = &small.cq;
  small.cq.cqn = 0xbad1;
  for (int i = 0; i < 4; ++i) post_frame(60);
  run();
  EXPECT_TRUE(small.cq.failed.load());
  EXPECT_EQ(violations_with("mlx5_send: completion queue 0xbad1: overrun"), 1U);
  EXPECT_EQ(small.cq.producer, 2U);
  EXPECT_EQ(queue_.sq.state.load(), QueueState::kError);
}

TEST_F(SoftcxSend, consumer_index_may_be_kept_in_16_bits) {
  completions_.cq.cqn = 0xbad5;
  for (completions_.cq.producer = 0xfff0; completions_.cq.producer < 0x10020;) {
    const auto consumer = static_cast<std::uint16_t>(completions_.cq.producer);
    completions_.record.consumer_index = ringside::Be32::of(consumer);
    post_frame(60);
    run();
    ASSERT_FALSE(completions_.cq.failed.load());
  }
  EXPECT_EQ(violations_with("0xbad5"), 0U);
}

TEST_F(SoftcxSend, overrun_ignore_lets_the_driver_keep_the_bounds) {
  CqUnderTest small(1);
  small.cq.overrun_ignore = true;
  queue_.sq.cq = &small.cq;
  for (int i = 0; i < 4; ++i) post_frame(60);
  run();
  EXPECT_FALSE(small.cq.failed.load());
  EXPECT_EQ(small.cq.producer, 4U);
}

TEST_F(SoftcxSend, consumer_index_ahead_of_the_completions_is_named) {
  completions_.cq.cqn = 0xbad2;
  completions_.record.consumer_index = ringside::Be32::of(5);
  post_frame(60);
  run();
  EXPECT_EQ(violations_with("0xbad2: the consumer index runs ahead"), 1U);
}

}  // namespace
}  // namespace softcx::test
