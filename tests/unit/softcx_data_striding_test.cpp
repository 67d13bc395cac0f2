// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Receive queues whose WQEs packets share.
#include <gtest/gtest.h>

#include <cstring>

#include "lib/mlx5/format/striding.hpp"
#include "lib/softcx/data/completion_queue.hpp"
#include "lib/softcx/data/receive_queue.hpp"
#include "tests/unit/softcx_data_fixture.hpp"

namespace softcx {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using ringside::CqeOpcode;

/// WQEs of 8 strides of 64 bytes, which lie behind each other.
class SoftcxStriding : public testing::Test {
 protected:
  static constexpr std::uint32_t kStride = 64, kStrides = 8, kWqe = kStride * kStrides;

  SoftcxStriding() {
    queue_.rq.strides = {.log_count = 3, .log_bytes = 6};
    std::fill(region_.bytes.begin(), region_.bytes.end(), std::uint8_t{0xee});
  }
  void post(std::uint32_t byte_count = kWqe, std::uint32_t key_step = 0) {
    const std::uint16_t index = queue_.next++;
    put_data_segment(queue_.wqe(index) + 16, byte_count, region_.lkey + key_step,
                     region_.address(index * kWqe));
    queue_.write_record(queue_.next);
  }
  Delivery offer(std::size_t length) {
    sent_ = pattern(length);
    const auto half = static_cast<std::uint32_t>(length / 2);
    const Segment segments[] = {{sent_.data(), half},
                                {sent_.data() + half, static_cast<std::uint32_t>(length) - half}};
    const Frame frame{segments, static_cast<std::uint32_t>(length)};
    return deliver(queue_.rq, frame, {Verdict::Kind::kDeliver, &queue_.rq, false, 0, 0, 0}, {}, 1);
  }
  bool lacks_room(std::size_t length) {
    const Bytes bytes = pattern(length);
    const Segment segment{bytes.data(), static_cast<std::uint32_t>(length)};
    return lacks_buffer(queue_.rq, {{&segment, 1}, segment.length});
  }
  /// The next completion: strides `first` to `first + strides - 1` of WQE `wqe`.
  void expect(CqeOpcode opcode, std::uint16_t wqe, std::uint32_t first, std::uint32_t strides,
              std::uint32_t length, bool filler = false) {
    const ringside::Cqe* cqe = completions_.poll();
    ASSERT_NE(cqe, nullptr);
    completions_.give_back();
    EXPECT_EQ(ringside::cqe_opcode(cqe->op_own), opcode);
    EXPECT_EQ(cqe->wqe_id.value(), wqe);
    EXPECT_EQ(cqe->wqe_counter.value(), first);
    EXPECT_EQ(cqe->byte_count.value(), (filler ? 1U << 31 : 0) | strides << 16 | length);
  }
  void expect_packet(std::uint16_t wqe, std::uint32_t first, std::uint32_t strides) {
    expect(CqeOpcode::kResponderSend, wqe, first, strides,
           static_cast<std::uint32_t>(sent_.size()));
    const std::size_t at = wqe * kWqe + first * kStride + queue_.rq.strides.shift;
    EXPECT_TRUE(std::equal(sent_.begin(), sent_.end(), region_.bytes.begin() + at));
    EXPECT_EQ(region_.bytes[at + sent_.size()], 0xee) << "nothing comes after the packet";
  }
  void expect_filler(std::uint16_t wqe, std::uint32_t first, std::uint32_t strides) {
    expect(CqeOpcode::kResponderSend, wqe, first, strides, 0, true);
  }
  void expect_error(std::uint16_t wqe, std::uint32_t first, std::uint32_t strides) {
    expect(CqeOpcode::kResponderError, wqe, first, strides, 0);
  }

  Device device_{0, "0000:ca:00.0", "mlx5_stride", "uverbs0", ""};
  CqUnderTest completions_{6};
  RqUnderTest queue_{device_, completions_.cq, 2, ringside::kLogStridingWqe};
  Region region_{device_, 16384};
  Bytes sent_;
};

TEST_F(SoftcxStriding, packets_share_a_buffer_each_in_strides_of_its_own) {
  post();
  post();
  ASSERT_EQ(offer(60), Delivery::kDelivered);
  expect_packet(0, 0, 1);
  ASSERT_EQ(offer(64), Delivery::kDelivered);
  expect_packet(0, 1, 1);
  ASSERT_EQ(offer(65), Delivery::kDelivered);
  expect_packet(0, 2, 2);
  ASSERT_EQ(offer(256), Delivery::kDelivered);
  expect_packet(0, 4, 4);
  EXPECT_EQ(queue_.rq.consumer, 1U) << "the buffer is used up";
  ASSERT_EQ(offer(60), Delivery::kDelivered);
  expect_packet(1, 0, 1);
}

TEST_F(SoftcxStriding, rest_that_is_too_small_is_filled_up_and_the_packet_goes_to_the_next_buffer) {
  post();
  post();
  ASSERT_EQ(offer(300), Delivery::kDelivered);
  expect_packet(0, 0, 5);
  ASSERT_EQ(offer(200), Delivery::kDelivered);
  expect_filler(0, 5, 3);
  expect_packet(1, 0, 4);
}

TEST_F(SoftcxStriding, packet_longer_than_a_buffer_costs_what_is_left_of_one_and_the_ring_goes_on) {
  for (int i = 0; i < 4; ++i) post();
  EXPECT_EQ(offer(kWqe + 1), Delivery::kLengthError);
  expect_error(0, 0, 8);
  ASSERT_EQ(offer(kWqe), Delivery::kDelivered);
  expect_packet(1, 0, 8);
  ASSERT_EQ(offer(60), Delivery::kDelivered);
  expect_packet(2, 0, 1);
  EXPECT_EQ(offer(kWqe + 1), Delivery::kLengthError);
  expect_error(2, 1, 7);
  ASSERT_EQ(offer(60), Delivery::kDelivered);
  expect_packet(3, 0, 1);
}

TEST_F(SoftcxStriding, buffer_that_has_fewer_bytes_than_its_strides_is_not_written_beyond_them) {
  post(100);
  post();
  ASSERT_EQ(offer(64), Delivery::kDelivered);
  expect_packet(0, 0, 1);
  EXPECT_EQ(offer(37), Delivery::kLengthError);
  expect_error(0, 1, 7);
  EXPECT_EQ(region_.bytes[64], 0xee);
}

// DPDK gives a striding queue's WQE 1 << sges_n entries, rdma-core as many as max_sge.
TEST_F(SoftcxStriding, strides_go_on_in_the_next_entry_of_a_wqe) {
  RqUnderTest longer(device_, completions_.cq, 2, 6);  // room for three entries
  longer.rq.strides = {.log_count = 3, .log_bytes = 6};
  constexpr std::uint32_t kFirst = 100, kSecond = 156, kThird = 256;
  std::uint8_t* const wqe = longer.wqe(0);
  put_data_segment(wqe + 16, kFirst, region_.lkey, region_.address(0));
  put_data_segment(wqe + 32, kSecond, region_.lkey, region_.address(1000));
  put_data_segment(wqe + 48, kThird, region_.lkey, region_.address(2000));
  longer.write_record(1);
  const auto give = [&](std::uint32_t length) {
    sent_ = pattern(length);
    const Segment segment{sent_.data(), length};
    return deliver(longer.rq, {{&segment, 1}, length},
                   {Verdict::Kind::kDeliver, &longer.rq, false, 0, 0, 0}, {}, 1);
  };
  /// Bytes `first` to `last` of what was sent last.
  const auto lies_at = [&](std::size_t at, std::ptrdiff_t first, std::ptrdiff_t last) {
    return std::equal(sent_.begin() + first, sent_.begin() + last,
                      region_.bytes.begin() + static_cast<std::ptrdiff_t>(at));
  };
  ASSERT_EQ(give(120), Delivery::kDelivered);
  expect(CqeOpcode::kResponderSend, 0, 0, 2, 120);
  EXPECT_TRUE(lies_at(0, 0, 100) && lies_at(1000, 100, 120));
  ASSERT_EQ(give(100), Delivery::kDelivered);  // from byte 128 on: the whole first entry is passed
  expect(CqeOpcode::kResponderSend, 0, 2, 2, 100);
  EXPECT_TRUE(lies_at(1028, 0, 100));
  ASSERT_EQ(give(256), Delivery::kDelivered);  // begins where the second entry ends
  expect(CqeOpcode::kResponderSend, 0, 4, 4, 256);
  EXPECT_TRUE(lies_at(2000, 0, 256));
  EXPECT_EQ(longer.rq.consumer, 1U);
}

TEST_F(SoftcxStriding, no_packet_is_longer_than_its_length_field) {
  queue_.rq.strides = {.log_count = 13, .log_bytes = 6};
  put_data_segment(queue_.wqe(0) + 16, 1U << 19, region_.lkey, region_.address(0));
  queue_.write_record(1);
  EXPECT_EQ(offer(1U << 16), Delivery::kLengthError);
  expect_error(0, 0, 1U << 13);
}

TEST_F(SoftcxStriding, two_bytes_of_zeros_come_first_where_they_are_asked_for) {
  queue_.rq.strides.shift = ringside::kStrideShift;
  post();
  ASSERT_EQ(offer(62), Delivery::kDelivered);
  expect_packet(0, 0, 1);
  EXPECT_EQ(region_.bytes[0], 0);
  EXPECT_EQ(region_.bytes[1], 0);
  ASSERT_EQ(offer(63), Delivery::kDelivered);
  expect_packet(0, 1, 2);
}

TEST_F(SoftcxStriding, rest_of_the_last_buffer_is_given_up_before_the_packet_is_lost) {
  post();
  ASSERT_EQ(offer(300), Delivery::kDelivered);
  expect_packet(0, 0, 5);
  EXPECT_EQ(offer(200), Delivery::kNoBuffer);
  expect_filler(0, 5, 3);
  EXPECT_EQ(offer(60), Delivery::kNoBuffer);
  EXPECT_EQ(completions_.poll(), nullptr);
  post();
  ASSERT_EQ(offer(60), Delivery::kDelivered);
  expect_packet(1, 0, 1);
}

TEST_F(SoftcxStriding, frame_that_may_wait_is_told_from_one_that_finds_room) {
  EXPECT_TRUE(lacks_room(60));
  post();
  EXPECT_FALSE(lacks_room(60));
  ASSERT_EQ(offer(300), Delivery::kDelivered);
  expect_packet(0, 0, 5);
  EXPECT_FALSE(lacks_room(192));
  EXPECT_FALSE(lacks_room(kWqe + 1)) << "no buffer will hold it";
  EXPECT_EQ(completions_.poll(), nullptr);
  EXPECT_TRUE(lacks_room(193));
  expect_filler(0, 5, 3);
  EXPECT_TRUE(lacks_room(193));
  EXPECT_EQ(completions_.poll(), nullptr) << "once is enough";
  post();
  EXPECT_FALSE(lacks_room(193));
}

TEST_F(SoftcxStriding, error_gives_back_strides_of_all_that_is_posted) {
  post();
  post();
  post();
  ASSERT_EQ(offer(60), Delivery::kDelivered);
  expect_packet(0, 0, 1);
  put_data_segment(queue_.wqe(0) + 16, kWqe, region_.lkey + 1, region_.address(0));
  EXPECT_EQ(offer(60), Delivery::kProtection);
  expect_error(0, 1, 7);
  expect_error(1, 0, 8);
  expect_error(2, 0, 8);
  EXPECT_EQ(completions_.poll(), nullptr);
  EXPECT_EQ(queue_.rq.state.load(), QueueState::kError);
}

TEST_F(SoftcxStriding, injected_error_takes_what_is_left_of_a_buffer) {
  post();
  post();
  ASSERT_EQ(offer(60), Delivery::kDelivered);
  expect_packet(0, 0, 1);
  fail_next(queue_.rq, {ringside::CqeSyndrome::kLocalLength, Cause::kInjected});
  expect_error(0, 1, 7);
  ASSERT_EQ(offer(60), Delivery::kDelivered);
  expect_packet(1, 0, 1);
}

TEST_F(SoftcxStriding, indexes_wrap) {
  for (std::uint32_t i = 0; i < 0x10010; ++i) {
    const auto index = static_cast<std::uint16_t>(i);
    queue_.next = index;
    put_data_segment(queue_.wqe(index) + 16, kWqe, region_.lkey, region_.address(0));
    queue_.write_record(static_cast<std::uint16_t>(index + 1));
    ASSERT_EQ(offer(300), Delivery::kDelivered);
    expect(CqeOpcode::kResponderSend, index, 0, 5, 300);
    ASSERT_EQ(offer(150), Delivery::kDelivered);
    expect(CqeOpcode::kResponderSend, index, 5, 3, 150);
  }
}

TEST_F(SoftcxStriding, stripped_tag_counts_for_no_stride) {
  queue_.rq.vlan_strip_disable = false;
  post();
  Bytes tagged = pattern(68);
  tagged[12] = 0x81, tagged[13] = 0x00, tagged[14] = 0x60, tagged[15] = 0x2a;
  const Segment segment{tagged.data(), 68};
  ASSERT_EQ(deliver(queue_.rq, {{&segment, 1}, 68},
                    {Verdict::Kind::kDeliver, &queue_.rq, false, 0, 0, 0}, {}, 1),
            Delivery::kDelivered);
  expect(CqeOpcode::kResponderSend, 0, 0, 1, 64);
}

// A capture's frame waits on the wire as long as lacks_buffer() says so, and is delivered then.
TEST_F(SoftcxStriding, frame_that_fits_a_buffer_without_its_tag_only_waits_for_one) {
  queue_.rq.vlan_strip_disable = false;
  post();
  ASSERT_EQ(offer(60), Delivery::kDelivered);
  expect_packet(0, 0, 1);
  for (std::uint32_t length = kWqe + 1; length <= kWqe + 4; ++length) {
    Bytes tagged = pattern(length);
    tagged[12] = 0x81, tagged[13] = 0x00;
    const Segment segment{tagged.data(), length};
    const Frame frame{{&segment, 1}, length};
    EXPECT_TRUE(lacks_buffer(queue_.rq, frame)) << length;
    post();
    EXPECT_FALSE(lacks_buffer(queue_.rq, frame)) << length;
    if (length == kWqe + 1) expect_filler(0, 1, 7);
    ASSERT_EQ(
        deliver(queue_.rq, frame, {Verdict::Kind::kDeliver, &queue_.rq, false, 0, 0, 0}, {}, 1),
        Delivery::kDelivered);
    expect(CqeOpcode::kResponderSend, static_cast<std::uint16_t>(queue_.next - 1), 0, 8,
           length - 4);
  }
}

TEST_F(SoftcxStriding, tag_that_is_stripped_gives_up_no_room_that_suffices) {
  queue_.rq.vlan_strip_disable = false;
  post();
  ASSERT_EQ(offer(7 * 64), Delivery::kDelivered);
  expect_packet(0, 0, 7);
  Bytes tagged = pattern(68);
  tagged[12] = 0x81, tagged[13] = 0x00;
  const Segment segment{tagged.data(), 68};
  EXPECT_FALSE(lacks_buffer(queue_.rq, {{&segment, 1}, 68}));
  EXPECT_EQ(completions_.poll(), nullptr) << "nothing was filled up";
}

}  // namespace
}  // namespace softcx
