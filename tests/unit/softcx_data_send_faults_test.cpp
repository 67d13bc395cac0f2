// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Send WQEs that are refused, and what becomes of those behind them.
#include "tests/unit/softcx_data_send_fixture.hpp"

namespace softcx::test {
namespace {

TEST_F(SoftcxSend, unknown_opcode_is_an_operation_error) {
  const std::uint16_t index = queue_.post(static_cast<WqeOpcode>(0x1f), Bytes(32));
  run();
  expect_error(index, 0x02, Cause::kOpcode);
}

TEST_F(SoftcxSend, segmentation_offload_is_refused) {
  const std::uint16_t index = queue_.post(WqeOpcode::kTso, Bytes(32));
  run();
  expect_error(index, 0x02, Cause::kOpcode);
}

TEST_F(SoftcxSend, opcode_modifier_is_refused) {
  const std::uint16_t index = post_frame(60);
  queue_.block(index)[0] = 1;
  run();
  expect_error(index, 0x02, Cause::kOpcode);
}

TEST_F(SoftcxSend, multi_packet_wqe_needs_a_queue_that_allows_it) {
  queue_.sq.multi_packet_wqe = false;
  const std::uint16_t index =
      queue_.post(WqeOpcode::kEnhancedMpw, send_body(region_.lkey, region_.address(0), 60));
  run();
  expect_error(index, 0x02, Cause::kOpcode);
}

TEST_F(SoftcxSend, wrong_wqe_index_is_refused) {
  const std::uint16_t index = post_frame(60);
  queue_.block(index)[2] = 7;
  run();
  expect_error(index, 0x02, Cause::kWqeIndex);
}

TEST_F(SoftcxSend, wrong_queue_number_is_refused) {
  const std::uint16_t index = post_frame(60);
  queue_.block(index)[6] = 0x77;
  run();
  expect_error(index, 0x02, Cause::kQueueNumber);
}

TEST_F(SoftcxSend, segment_count_of_zero_is_refused) {
  const std::uint16_t index = post_frame(60);
  queue_.block(index)[7] = 0;
  run();
  expect_error(index, 0x02, Cause::kSegmentCount);
}

TEST_F(SoftcxSend, wqe_that_passes_the_producer_index_is_refused) {
  const std::uint16_t index = post_frame(60);
  queue_.block(index)[7] = 5;
  run();
  expect_error(index, 0x02, Cause::kSegmentCount);
}

TEST_F(SoftcxSend, inline_header_longer_than_the_wqe_is_refused) {
  const std::uint16_t index = post_frame(60);
  queue_.block(index)[16 + 13] = 19;  // reaches into the data segment's place by a byte
  queue_.block(index)[7] = 3;
  queue_.block(index)[16 + 12] = 1;  // 256 more
  run();
  expect_error(index, 0x02, Cause::kInlineHeader);
}

TEST_F(SoftcxSend, inline_header_below_the_minimum_is_refused) {
  queue_.sq.min_inline_mode = 1;
  const std::uint16_t index = post_frame(60);
  run();
  expect_error(index, 0x02, Cause::kInlineHeader);
}

TEST_F(SoftcxSend, inline_data_longer_than_the_wqe_is_refused) {
  Bytes body(kEth + 16);
  const std::uint32_t count = ringside::byte_swap(ringside::kInlineData | 13U);
  std::memcpy(body.data() + kEth, &count, 4);
  const std::uint16_t index = queue_.post(WqeOpcode::kSend, body);
  run();
  expect_error(index, 0x02, Cause::kInlineData);
}

TEST_F(SoftcxSend, reserved_checksum_bits_are_refused) {
  const std::uint16_t index = post_frame(60);
  queue_.block(index)[16 + 4] = 0x04;
  run();
  expect_error(index, 0x02, Cause::kOffload);
}

TEST_F(SoftcxSend, unknown_memory_key_is_a_protection_error) {
  const std::uint16_t index =
      queue_.post(WqeOpcode::kSend, send_body(region_.lkey + 0x100, region_.address(0), 60));
  run();
  expect_error(index, 0x04, Cause::kMemoryKey);
}

TEST_F(SoftcxSend, memory_key_of_another_protection_domain_is_a_protection_error) {
  queue_.sq.pdn = Region::kPdn + 1;
  const std::uint16_t index = post_frame(60);
  run();
  expect_error(index, 0x04, Cause::kMemoryKey);
}

TEST_F(SoftcxSend, segment_that_ends_one_byte_behind_the_key_is_a_protection_error) {
  const auto last = region_.bytes.size() - 60;
  post_frame(60);
  const std::uint16_t index =
      queue_.post(WqeOpcode::kSend, send_body(region_.lkey, region_.address(last + 1), 60));
  queue_.sq.producer = index;
  transmitter_.run(queue_.sq, 1000);
  ASSERT_EQ(wire_.sent.size(), 1U);
  wire_.sent.clear();
  ASSERT_NE(completions_.poll(), nullptr);
  run();
  expect_error(index, 0x04, Cause::kMemoryKey);
}

TEST_F(SoftcxSend, byte_count_of_zero_means_two_gigabytes) {
  const std::uint16_t index = post_frame(0);
  run();
  expect_error(index, 0x04, Cause::kMemoryKey);
}

TEST_F(SoftcxSend, wqes_behind_an_error_are_flushed) {
  const std::uint16_t bad = queue_.post(static_cast<WqeOpcode>(0x1f), Bytes(32));
  const std::uint16_t quiet = post_frame(60, ringside::kCeOnError);
  const std::uint16_t silent = post_frame(60, 0x04);  // only on the first error
  const std::uint16_t loud = post_frame(60);
  run();
  expect_error(bad, 0x02, Cause::kOpcode);
  expect_error(quiet, 0x05, Cause::kFlushed);
  expect_error(loud, 0x05, Cause::kFlushed);
  EXPECT_NE(silent, loud);
  EXPECT_EQ(completions_.poll(), nullptr);
  EXPECT_EQ(static_cast<std::uint16_t>(queue_.sq.consumer), queue_.next);
  EXPECT_EQ(device_.counters.tx_queue_errors.load(), 1U);
  EXPECT_EQ(device_.counters.tx_failed_wqes.load(), 1U);
  EXPECT_EQ(device_.counters.tx_flushed_wqes.load(), 3U);
}

TEST_F(SoftcxSend, wqes_behind_an_error_stay_without_flush_in_error) {
  queue_.sq.flush_in_error = false;
  const std::uint16_t bad = queue_.post(static_cast<WqeOpcode>(0x1f), Bytes(32));
  post_frame(60);
  run();
  expect_error(bad, 0x02, Cause::kOpcode);
  EXPECT_EQ(completions_.poll(), nullptr);
}

TEST_F(SoftcxSend, queue_in_reset_sends_nothing) {
  queue_.sq.state.store(QueueState::kReset);
  post_frame(60);
  run();
  EXPECT_TRUE(wire_.sent.empty());
  EXPECT_EQ(static_cast<std::uint16_t>(queue_.sq.consumer), 0U);
}

}  // namespace
}  // namespace softcx::test
