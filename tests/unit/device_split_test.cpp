// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Packets in two parts: what the loop of persistent kernels and its queues make of them, against
// the fake NIC.
#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/fake_nic.hpp"
#include "tests/unit/kernel_run.hpp"
#include "tests/unit/own_programs.hpp"

namespace ringside::test {
namespace {

using DeviceSplit = BlockSizes;
RS_FOR_BLOCK_SIZES(DeviceSplit);

constexpr std::uint32_t kSplitAt = 64;

FakeNic::Config split(FakeNic::Config config = {}) {
  config.split_at = kSplitAt;
  return config;
}

/// Of 14 bytes to some that fill both buffers: shorter than the first part, as long, longer.
std::vector<std::uint8_t> frame_of(std::uint64_t number) {
  std::vector<std::uint8_t> frame(14 + 51 * number % (kSplitAt + 256 - 13));
  for (std::size_t i = 0; i < frame.size(); ++i) {
    frame[i] = static_cast<std::uint8_t>(number + i * 3);
  }
  return frame;
}

std::vector<std::uint8_t> swapped(std::vector<std::uint8_t> frame) {
  std::swap_ranges(frame.begin(), frame.begin() + 6, frame.begin() + 6);
  return frame;
}

TEST_P(DeviceSplit, both_parts_are_sent_as_one_frame_in_order_with_the_headers_as_changed) {
  for (const std::uint32_t bits : {2U, 16U, 24U}) {
    const std::uint64_t start = (std::uint64_t{1} << bits) - 2;
    FakeNic nic(split({.log_rx_cq = 5,
                       .rx_start = start,
                       .rx_cq_start = start + 1,
                       .tx_start = start,
                       .tx_cq_start = start - 1}));
    constexpr std::uint32_t kCount = 150;
    {
      KernelRun kernel(OwnProgram<SplitMacSwap>(), nic.stream(), GetParam());
      std::uint32_t next = 0;
      const auto step = [&] {
        while (next < kCount && nic.can_receive()) nic.receive(frame_of(next++));
        nic.read_sends();
        nic.complete_sends();
      };
      ASSERT_TRUE(step_until([&] { return nic.sent().size() >= kCount; }, step));
    }
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(nic.sent()[i].bytes, swapped(frame_of(i))) << i;
      bytes += frame_of(i).size();
    }
    EXPECT_EQ(nic.phase(), BlockPhase::kFinished);
    EXPECT_EQ(nic.slots_held(), 0U);
    EXPECT_EQ(nic.counters().rx_bytes, bytes);
    EXPECT_EQ(nic.counters().tx_bytes, bytes);
    EXPECT_EQ(nic.counters().tx_completed, kCount);
  }
}

TEST_P(DeviceSplit, bytes_of_both_parts_are_counted_as_lost_with_a_stopped_send_queue) {
  FakeNic nic(split());
  constexpr std::uint32_t kCount = 8;
  for (std::uint32_t i = 0; i < kCount; ++i) nic.receive(frame_of(i));
  KernelRun kernel(OwnProgram<SplitMacSwap>(), nic.stream(), GetParam());
  ASSERT_TRUE(step_until([&] { return nic.sent().size() == kCount; }, [&] { nic.read_sends(); }));
  nic.complete_sends(3);
  nic.fail_send(0x04);
  ASSERT_TRUE(wait_until([&] { return nic.phase() == BlockPhase::kFailed; }));
  kernel.join();
  std::uint64_t sent = 0;
  for (std::uint32_t i = 0; i < 3; ++i) sent += frame_of(i).size();
  EXPECT_EQ(nic.counters().tx_errors, kCount - 3);
  EXPECT_EQ(nic.counters().tx_bytes, sent);
  EXPECT_EQ(nic.slots_held(), 0U);
}

// What is longer than both buffers the NIC does not deliver.
TEST_P(DeviceSplit, a_packet_too_long_is_counted_and_the_ring_goes_on) {
  FakeNic nic(split());
  nic.receive(frame_of(1));
  nic.receive_error(0x01);
  nic.receive(frame_of(2));
  KernelRun kernel(OwnProgram<SplitMacSwap>(), nic.stream(), GetParam());
  const auto step = [&] {
    nic.read_sends();
    nic.complete_sends();
  };
  ASSERT_TRUE(step_until([&] { return nic.sent().size() == 2; }, step));
  kernel.stop();
  EXPECT_EQ(nic.sent()[1].bytes, swapped(frame_of(2)));
  EXPECT_EQ(nic.counters().rx_errors, 1U);
  EXPECT_EQ(nic.released(), 3U);
}

}  // namespace
}  // namespace ringside::test
