// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The CPU's end of copies to and from device memory; the other end is a thread.
#include "lib/softcx/data/copy_channel.hpp"

#include <gtest/gtest.h>

#include "lib/base/clock.hpp"
#include "tests/unit/softcx_data_copy_fixture.hpp"

namespace softcx {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)

class SoftcxCopyChannel : public testing::Test {
 protected:
  /// Orders `count` copies of 100 bytes out of the device, of bytes that say which one it is.
  CopyChannel::Ticket fetch(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      std::memset(gpu_.at(i * kSlot), static_cast<int>(i % 255 + 1), kBytes);
      channel_.add({gpu_.address(i * kSlot), i * kSlot, kBytes});
    }
    return channel_.kick();
  }
  bool fetched(std::uint32_t count) const {
    for (std::uint32_t i = 0; i < count; ++i) {
      const Bytes expected(kBytes, static_cast<std::uint8_t>(i % 255 + 1));
      if (std::memcmp(channel_.staging() + i * kSlot, expected.data(), kBytes) != 0) return false;
    }
    return true;
  }

  static constexpr std::uint32_t kSlot = 128, kBytes = 100;

  std::string why_;
  FakeGpu gpu_;
  CopyChannel channel_{gpu_.open_worker(why_)};
};

TEST_F(SoftcxCopyChannel, copies_in_and_out_end_with_their_ticket) {
  std::memset(channel_.staging(), 7, kBytes);
  channel_.add({gpu_.address(5000), 0, kBytes | CopyDescriptor::kToDevice});
  channel_.wait(channel_.kick());
  EXPECT_EQ(std::memcmp(gpu_.at(5000), channel_.staging(), kBytes), 0);
  const CopyChannel::Ticket ticket = fetch(1000);
  channel_.wait(ticket);
  EXPECT_TRUE(channel_.done(ticket));
  EXPECT_TRUE(fetched(1000));
  EXPECT_EQ(gpu_.starts.load(), 1);
}

TEST_F(SoftcxCopyChannel, nothing_begins_before_the_kick_nor_is_done_before_it_ended) {
  gpu_.held = true;
  const CopyChannel::Ticket ticket = fetch(9);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(channel_.done(ticket));
  gpu_.held = false;
  channel_.wait(ticket);
  EXPECT_TRUE(fetched(9));
  channel_.add({gpu_.address(0), 0, kBytes});
  EXPECT_EQ(gpu_.copies.load(), 9);
}

TEST_F(SoftcxCopyChannel, a_kernel_that_leaves_at_any_chunk_is_followed_by_one_that_goes_on) {
  constexpr std::uint32_t kCopies = 100;  // 13 chunks
  for (int quota = 0; quota <= 13; ++quota) {
    std::memset(channel_.staging(), 0, std::size_t{kCopies} * kSlot);
    gpu_.quota = quota;
    channel_.wait(fetch(kCopies));
    EXPECT_TRUE(fetched(kCopies)) << quota;
    gpu_.quota = -1;
  }
  EXPECT_GT(gpu_.starts.load(), 10);
  EXPECT_FALSE(channel_.failed());
}

TEST_F(SoftcxCopyChannel, the_ring_goes_round) {
  for (int lap = 0; lap < 5; ++lap) {
    for (std::uint32_t ordered = 0; ordered < kCopyRingChunks * kCopyChunk; ordered += 4000) {
      channel_.wait(fetch(4000));
      ASSERT_TRUE(fetched(4000)) << lap;
    }
  }
}

TEST_F(SoftcxCopyChannel, parked_kernel_leaves_and_comes_back) {
  channel_.wait(fetch(1));
  channel_.park();
  const auto deadline = ringside::Deadline::after_ms(5000);
  while (gpu_.kernels.load() != 0 && !deadline.passed()) sched_yield();
  EXPECT_EQ(gpu_.kernels.load(), 0);
  channel_.wait(fetch(50));
  EXPECT_TRUE(fetched(50));
  EXPECT_EQ(gpu_.starts.load(), 2);
}

TEST_F(SoftcxCopyChannel, kernel_that_does_not_start_says_why) {
  gpu_.broken = true;
  const CopyChannel::Ticket ticket = fetch(1);
  channel_.wait(ticket);
  EXPECT_TRUE(channel_.failed());
  EXPECT_FALSE(channel_.done(ticket));
  EXPECT_EQ(channel_.failure(), "the fake GPU is broken");
}

TEST_F(SoftcxCopyChannel, gpu_that_fails_under_way_is_found_out) {
  gpu_.held = true;
  const CopyChannel::Ticket ticket = fetch(1);
  gpu_.broken = true;
  channel_.wait(ticket);
  EXPECT_EQ(channel_.failure(), "the fake GPU is broken");
}

TEST_F(SoftcxCopyChannel, kernel_that_does_nothing_is_given_up) {
  gpu_.held = true;
  const std::uint64_t begin = ringside::monotonic_ns();
  const CopyChannel::Ticket ticket = fetch(1);
  channel_.wait(ticket);
  EXPECT_TRUE(channel_.failed());
  EXPECT_GE(ringside::monotonic_ns() - begin, CopyChannel::kStallNs);
  gpu_.held = false;
  const auto deadline = ringside::Deadline::after_ms(5000);
  while (gpu_.copies.load() == 0 && !deadline.passed()) sched_yield();
  EXPECT_EQ(gpu_.copies.load(), 1);
  EXPECT_FALSE(channel_.done(ticket)) << "too late: it counts as lost";
}

}  // namespace
}  // namespace softcx
