// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Packets that share buffers, through the loop of persistent kernels and out of them.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "lib/base/clock.hpp"
#include "tests/unit/kernel_run.hpp"
#include "tests/unit/own_programs.hpp"
#include "tests/unit/strided_pair.hpp"

namespace ringside::test {
namespace {

using Frame = StridedPair::Frame;

using DeviceStrided = BlockSizes;
RS_FOR_BLOCK_SIZES(DeviceStrided);

/// Of that many bytes, which tell it from others.
Frame frame_of(std::uint64_t number, std::size_t length) {
  Frame frame(length);
  for (std::size_t i = 0; i < length; ++i) {
    frame[i] = static_cast<std::uint8_t>(number * 31 + i * (1 + number / 256 % 7));
  }
  return frame;
}

std::uint64_t dropped(const StreamCounters& counters, DropCause cause) {
  return counters.dropped[static_cast<std::uint32_t>(cause)];
}

/// Lets packets of all lengths go through, some of them longer than a buffer, while sends complete
/// in pieces; nothing is lost, and after the kernel's end all is back.
void forward_all(StridedPair& nic, std::uint32_t threads, std::uint32_t count) {
  std::minstd_rand random(count);
  std::vector<Frame> expected;
  std::uint64_t too_long = 0;
  {
    KernelRun kernel("strided_io", nic.stream(), threads);
    Frame next = frame_of(0, 60);
    std::uint64_t number = 0;
    const auto step = [&] {
      while (number < count && nic.receive(next)) {
        if (next.size() > kLongest) {
          ++too_long;
        } else {
          expected.push_back(next);
        }
        const std::size_t most = random() % 2 == 0 ? kStrideBytes : kLongest + 64;
        next = frame_of(++number, 1 + random() % most);
      }
      nic.read_sends();
      nic.complete_sends(random() % 8);
    };
    ASSERT_TRUE(
        step_until([&] { return number == count && nic.sent().size() == expected.size(); }, step));
    nic.complete_sends();
  }
  ASSERT_EQ(nic.sent(), expected);
  EXPECT_GT(too_long, 0U);
  EXPECT_EQ(nic.phase(), BlockPhase::kFinished);
  EXPECT_EQ(nic.posted(), nic.expected()) << "not all was given back";
  const StreamCounters counters = nic.counters();
  EXPECT_EQ(counters.rx_packets, expected.size());
  EXPECT_EQ(counters.rx_errors, too_long);
  EXPECT_EQ(counters.tx_packets, expected.size());
  EXPECT_EQ(counters.tx_completed, expected.size());
  EXPECT_EQ(counters.rx_bytes, counters.tx_bytes);
}

TEST_P(DeviceStrided, packets_are_sent_in_order_and_no_buffer_comes_back_before_all_its_sends) {
  StridedPair nic;
  forward_all(nic, GetParam(), 150);
}

TEST_P(DeviceStrided, numbers_wrap) {
  // 16 bits of buffers and WQEs wrap, and 24 of CQEs.
  StridedPair nic((std::uint64_t{1} << 32) - 20, (std::uint64_t{1} << 32) - 50,
                  (std::uint64_t{1} << 32) - 60);
  forward_all(nic, GetParam(), 120);
}

TEST_P(DeviceStrided, a_packet_whose_send_stands_still_keeps_its_buffer_and_those_behind) {
  StridedPair nic;
  nic.stream().burst = 1;  // each asks for a completion
  KernelRun kernel("strided_io", nic.stream(), GetParam());
  std::uint64_t number = 0;
  // Two to a buffer, until the NIC has none left.
  while (nic.receive(frame_of(number, 4 * kStrideBytes))) ++number;
  ASSERT_EQ(number, 2U * kBuffers);
  ASSERT_TRUE(step_until([&] { return nic.in_flight() == number; }, [&] { nic.read_sends(); }));
  nic.complete_sends(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(nic.posted(), kBuffers) << "half of the buffer is still being sent";
  nic.complete_sends(2);
  ASSERT_TRUE(wait_until([&] { return nic.posted() == kBuffers + 1; }));
  nic.complete_sends();
  ASSERT_TRUE(wait_until([&] { return nic.posted() == 2 * kBuffers; }));
}

TEST_P(DeviceStrided, packets_that_are_dropped_or_consumed_let_go_of_their_strides_at_once) {
  StridedPair nic;
  std::uint64_t sends = 0;
  std::uint64_t number = 0;
  constexpr std::uint64_t kPackets = 120;
  {
    KernelRun kernel(OwnProgram<Strided<Sorter>>(), nic.stream(), GetParam());
    const auto step = [&] {
      while (number < kPackets) {
        Frame frame = frame_of(number, 60 + number % 300);
        frame[0] = static_cast<std::uint8_t>(number);
        if (!nic.receive(frame, number % 2 == 0)) break;
        sends += number % 2 == 0 ? 1 : 0;
        ++number;
      }
      nic.read_sends();
      nic.complete_sends();
    };
    ASSERT_TRUE(step_until([&] { return nic.counters().rx_packets == kPackets; }, step));
    ASSERT_TRUE(step_until([&] { return nic.sent().size() == sends; }, step));
    nic.complete_sends();
  }
  EXPECT_EQ(nic.posted(), nic.expected());
  const StreamCounters counters = nic.counters();
  EXPECT_EQ(counters.tx_completed, sends);
  EXPECT_EQ(counters.consumed, kPackets / 4);
  EXPECT_EQ(dropped(counters, DropCause::kProgram), kPackets / 4);
  EXPECT_EQ(counters.rx_errors, 0U);
}

TEST_P(DeviceStrided, a_send_queue_that_stops_is_named_and_gives_all_buffers_back) {
  StridedPair nic;
  {
    KernelRun kernel("strided_io", nic.stream(), GetParam());
    for (std::uint64_t i = 0; i < 6; ++i) ASSERT_TRUE(nic.receive(frame_of(i, 4 * kStrideBytes)));
    ASSERT_TRUE(step_until([&] { return nic.in_flight() == 6; }, [&] { nic.read_sends(); }));
    nic.complete_sends(2);
    nic.fail_sends();
    ASSERT_TRUE(wait_until([&] { return nic.phase() == BlockPhase::kFailed; }));
  }
  EXPECT_EQ(nic.posted(), kBuffers + 3);
  const StreamCounters counters = nic.counters();
  EXPECT_EQ(counters.tx_completed, 2U);
  EXPECT_EQ(counters.tx_errors, 4U);
  EXPECT_EQ(dropped(counters, DropCause::kTxQueueDown), 4U);
}

/// Its batches wait.
class DeviceStridedGathers : public DeviceStrided {
 protected:
  static StreamArgs stream(StridedPair& nic, const std::uint64_t& wait_ns) {
    StreamArgs args = nic.stream();
    args.program.own = &wait_ns;
    return args;
  }
};
RS_FOR_BLOCK_SIZES(DeviceStridedGathers);

TEST_P(DeviceStridedGathers, a_batch_that_can_get_no_larger_does_not_wait_for_more) {
  StridedPair nic;
  const std::uint64_t wait_ns = 600'000'000'000;
  KernelRun kernel(OwnProgram<Strided<Gathers>>(), stream(nic, wait_ns), GetParam());
  ASSERT_TRUE(nic.receive(frame_of(0, 60)));
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  nic.read_sends();
  EXPECT_EQ(nic.sent().size(), 0U) << "one of 16 packets, and most strides are the NIC's";
  // Fewer packets than a batch has, with half of the strides.
  for (std::uint64_t i = 1; i < 3; ++i) ASSERT_TRUE(nic.receive(frame_of(i, kLongest)));
  ASSERT_TRUE(step_until([&] { return nic.sent().size() == 3; }, [&] { nic.read_sends(); }));
  nic.complete_sends();
}

TEST_P(DeviceStridedGathers, a_batch_waits_from_its_first_packet_on) {
  StridedPair nic;
  const std::uint64_t wait_ns = 30'000'000;
  KernelRun kernel(OwnProgram<Strided<Gathers>>(), stream(nic, wait_ns), GetParam());
  for (std::uint64_t i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + 7 * i));
    const std::uint64_t came = monotonic_ns();
    ASSERT_TRUE(nic.receive(frame_of(i, 60)));
    ASSERT_TRUE(step_until([&] { return nic.sent().size() == i + 1; }, [&] { nic.read_sends(); }));
    EXPECT_GE(monotonic_ns() - came, wait_ns);
    nic.complete_sends();
    // Stored after some passes without a packet, so the batch is over.
    ASSERT_TRUE(wait_until([&] { return nic.counters().tx_completed == i + 1; }));
  }
}

}  // namespace
}  // namespace ringside::test
