// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The loop of persistent kernels where batches are large: on a GPU all but the last warp receive
// and write them, whole WQEs at a time where all packets of a warp are sent.
#include <gtest/gtest.h>

#include "lib/device/forward.hpp"
#include "tests/unit/fake_nic.hpp"
#include "tests/unit/frames.hpp"
#include "tests/unit/kernel_run.hpp"
#include "tests/unit/own_programs.hpp"

namespace ringside::test {
namespace {

constexpr std::uint32_t kArrivals = 3000;
constexpr std::uint32_t kDepth = 128;

class DeviceForwardBatches : public BlockSizes {
 protected:
  DeviceForwardBatches() { nic_.stream().burst = 64; }

  /// Lets them arrive, number n as `arrive(n)` has it, a ring at a time, until `sends` came out.
  template <class Arrive>
  void play(std::uint32_t sends, Arrive arrive) {
    std::uint32_t next = 0;
    const auto step = [&] {
      while (next < kArrivals && nic_.can_receive()) arrive(next++);
      nic_.read_sends();
      nic_.complete_sends();
    };
    const auto over = [&] { return next == kArrivals && nic_.sent().size() >= sends; };
    ASSERT_TRUE(step_until(over, step));
    ASSERT_EQ(nic_.sent().size(), sends);
  }
  void expect_all_back() {
    EXPECT_EQ(nic_.phase(), BlockPhase::kFinished);
    EXPECT_EQ(nic_.counters().tx_completed, nic_.sent().size());
    EXPECT_EQ(nic_.slots_held(), 0U);
    EXPECT_EQ(nic_.released(), kStart + kArrivals);
  }

  // The 16 bits of the wire's indices end soon, and the rings before.
  static constexpr std::uint64_t kStart = (1U << 16) - kDepth - 5;
  FakeNic nic_{{.log_rx = 7,
                .log_rx_cq = 7,
                .log_tx = 7,
                .log_tx_cq = 7,
                .rx_start = kStart,
                .rx_cq_start = kStart,
                .tx_start = kStart,
                .tx_cq_start = kStart,
                .packets_are_sent = false}};
};
RS_FOR_BLOCK_SIZES(DeviceForwardBatches);

TEST_P(DeviceForwardBatches, every_packet_is_sent_unchanged_and_in_order) {
  {
    KernelRun kernel("io", nic_.stream(), GetParam());
    play(kArrivals, [&](std::uint32_t n) { nic_.receive(frame_of(n)); });
  }
  for (std::uint32_t i = 0; i < kArrivals; ++i) ASSERT_EQ(nic_.sent()[i].bytes, frame_of(i)) << i;
  expect_all_back();
}

// A hole in the packets of each warp.
TEST_P(DeviceForwardBatches, bad_packets_leave_the_others_in_order) {
  constexpr std::uint32_t kBadEach = 7;
  constexpr std::uint32_t kBad = kArrivals / kBadEach;
  {
    KernelRun kernel("io", nic_.stream(), GetParam());
    play(kArrivals - kBad, [&](std::uint32_t n) {
      if (n % kBadEach == kBadEach - 1) {
        nic_.receive_error(0x01);
      } else {
        nic_.receive(frame_of(n));
      }
    });
    EXPECT_TRUE(wait_until([&] { return nic_.counters().rx_errors == kBad; }));
  }
  std::uint32_t i = 0;
  for (std::uint32_t n = 0; n < kArrivals; ++n) {
    if (n % kBadEach == kBadEach - 1) continue;
    ASSERT_EQ(nic_.sent()[i++].bytes, frame_of(n)) << n;
  }
  expect_all_back();
}

TEST_P(DeviceForwardBatches, what_a_program_drops_leaves_the_others_in_order) {
  {
    KernelRun kernel(OwnProgram<Sorter>(), nic_.stream(), GetParam());
    play(kArrivals / 2, [&](std::uint32_t n) { nic_.receive(frame_of(n)); });
    EXPECT_TRUE(wait_until([&] { return nic_.counters().rx_packets == kArrivals; }));
  }
  for (std::uint32_t i = 0; i < kArrivals / 2; ++i) {
    ASSERT_EQ(nic_.sent()[i].bytes, frame_of(2 * i)) << i;
  }
  expect_all_back();
}

}  // namespace
}  // namespace ringside::test
