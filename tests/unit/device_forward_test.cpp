// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The loop of persistent kernels, against the fake NIC.
#include "lib/device/forward.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "tests/unit/fake_nic.hpp"
#include "tests/unit/frames.hpp"
#include "tests/unit/kernel_run.hpp"
#include "tests/unit/own_programs.hpp"

namespace ringside::test {
namespace {

using DeviceForward = BlockSizes;
RS_FOR_BLOCK_SIZES(DeviceForward);

bool wait_for_phase(FakeNic& nic, BlockPhase phase) {
  return wait_until([&] { return nic.phase() == phase; });
}

std::uint64_t dropped(const StreamCounters& counters, DropCause cause) {
  return counters.dropped[static_cast<std::uint32_t>(cause)];
}

/// Nothing is lost without a cause.
void expect_identity(const StreamCounters& c) {
  EXPECT_EQ(c.rx_packets + c.tx_generated, c.tx_completed + c.consumed +
                                               dropped(c, DropCause::kProgram) +
                                               dropped(c, DropCause::kTxQueueDown) +
                                               (c.tx_packets - c.tx_completed - c.tx_errors));
}

/// Plays `count` frames through a forwarding kernel and expects them back in order.
void forward_all(FakeNic& nic, std::uint32_t count) {
  std::uint32_t next = 0;
  const auto step = [&] {
    while (next < count && nic.can_receive()) nic.receive(frame_of(next++));
    nic.read_sends();
    nic.complete_sends();
  };
  ASSERT_TRUE(step_until([&] { return nic.sent().size() >= count; }, step));
  ASSERT_EQ(nic.sent().size(), count);
  for (std::uint32_t i = 0; i < count; ++i) ASSERT_EQ(nic.sent()[i].bytes, frame_of(i)) << i;
}

TEST_P(DeviceForward, every_packet_is_sent_unchanged_and_in_order) {
  for (const std::uint32_t bits : {2U, 16U, 24U}) {
    const std::uint64_t start = (std::uint64_t{1} << bits) - 2;
    FakeNic nic({.log_rx_cq = 5,
                 .rx_start = start,
                 .rx_cq_start = start + 1,
                 .tx_start = start,
                 .tx_cq_start = start - 1});
    {
      KernelRun kernel("io", nic.stream(), GetParam());
      forward_all(nic, 150);
    }
    EXPECT_EQ(nic.phase(), BlockPhase::kFinished);
    EXPECT_EQ(nic.slots_held(), 0U);
    EXPECT_EQ(nic.released(), start + 150);
    const StreamCounters counters = nic.counters();
    EXPECT_EQ(counters.rx_packets, 150U);
    EXPECT_EQ(counters.tx_packets, 150U);
    EXPECT_EQ(counters.tx_completed, 150U);
    EXPECT_EQ(counters.rx_bytes, counters.tx_bytes);
    expect_identity(counters);
  }
}

TEST_P(DeviceForward, doorbells_completions_and_waits_for_room_are_counted_as_the_nic_saw_them) {
  FakeNic nic({.log_tx = 2});
  KernelRun kernel("io", nic.stream(), GetParam());
  receive_frames(nic, 16);
  // Known while it waits, not when it is over.
  ASSERT_TRUE(wait_until([&] { return nic.counters().tx_waits == 1; }));
  const auto step = [&] {
    nic.read_sends();
    nic.complete_sends();
  };
  ASSERT_TRUE(step_until([&] { return nic.sent().size() == 16; }, step));
  ASSERT_TRUE(step_until([&] { return nic.counters().tx_completed == 16; }, step));
  kernel.stop();
  EXPECT_EQ(nic.counters().tx_cqes, nic.tx_cq_consumed());
  EXPECT_GE(nic.counters().tx_cqes, 4U);
  EXPECT_GE(nic.counters().tx_doorbells, nic.doorbells());  // the NIC sees the last of several
  EXPECT_LE(nic.counters().tx_doorbells, nic.counters().batches);
  EXPECT_GE(nic.counters().tx_waits, 1U);
}

TEST_P(DeviceForward, a_batch_is_no_larger_than_the_burst) {
  FakeNic nic({});
  receive_frames(nic, 16);
  nic.stream().burst = 5;
  KernelRun kernel("io", nic.stream(), GetParam());
  ASSERT_TRUE(wait_until([&] { return nic.counters().tx_packets == 16; }));
  EXPECT_GE(nic.counters().batches, 4U);
}

// More packets than a thread remembers at a time, and not a multiple of anything.
TEST_P(DeviceForward, a_batch_as_large_as_the_ring_keeps_its_order) {
  FakeNic nic({.log_rx = 8, .log_rx_cq = 8, .log_tx = 8, .log_tx_cq = 8});
  nic.stream().burst = 256;
  receive_frames(nic, 253);
  KernelRun kernel("io", nic.stream(), GetParam());
  const auto step = [&] {
    nic.read_sends();
    nic.complete_sends();
  };
  ASSERT_TRUE(step_until([&] { return nic.sent().size() == 253; }, step));
  for (std::uint32_t i = 0; i < 253; ++i) ASSERT_EQ(nic.sent()[i].bytes, frame_of(i)) << i;
  kernel.stop();
  if (kOneLookTakesAll) {
    EXPECT_EQ(nic.counters().batches, 1U);
  }
  EXPECT_EQ(nic.released(), 253U);
}

TEST_P(DeviceForward, one_packet_is_not_held_until_there_are_more) {
  FakeNic nic({});
  KernelRun kernel("io", nic.stream(), GetParam());
  for (std::uint32_t i = 0; i < 3; ++i) {
    nic.receive(frame_of(i));
    ASSERT_TRUE(wait_until([&] { return nic.read_sends() == 1; }));
    nic.complete_sends();
  }
}

TEST_P(DeviceForward, a_full_send_ring_leaves_packets_with_the_nic_until_there_is_room) {
  FakeNic nic({.log_tx = 2});
  KernelRun kernel("io", nic.stream(), GetParam());
  receive_frames(nic, 16);
  EXPECT_FALSE(nic.can_receive());
  ASSERT_TRUE(wait_for_phase(nic, BlockPhase::kWaitingForSendRoom));
  ASSERT_TRUE(wait_until([&] { return nic.counters().tx_packets == 4; }));
  EXPECT_EQ(nic.counters().rx_packets, 4U);  // the others are not in hand
  const auto step = [&] {
    nic.read_sends();
    nic.complete_sends();
  };
  ASSERT_TRUE(step_until([&] { return nic.sent().size() == 16; }, step));
  for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(nic.sent()[i].bytes, frame_of(i));
}

TEST_P(DeviceForward, a_bad_packet_is_counted_and_the_others_keep_their_order) {
  FakeNic nic({});
  receive_frames(nic, 3);
  nic.receive_error(0x01);
  receive_frames(nic, 2, 3);
  KernelRun kernel("io", nic.stream(), GetParam());
  const auto step = [&] {
    nic.read_sends();
    nic.complete_sends();
  };
  ASSERT_TRUE(step_until([&] { return nic.sent().size() == 5; }, step));
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(nic.sent()[i].bytes, frame_of(i));
  kernel.stop();
  EXPECT_EQ(nic.counters().rx_errors, 1U);
  EXPECT_EQ(nic.counters().rx_packets, 5U);
  EXPECT_EQ(nic.released(), 6U);
  expect_identity(nic.counters());
}

TEST_P(DeviceForward, a_stopped_receive_queue_ends_the_kernel_after_what_came_before_is_sent) {
  for (const std::uint32_t syndrome : {0x02U, 0x04U, 0x05U}) {
    FakeNic nic({});
    receive_frames(nic, 3);
    nic.receive_error(static_cast<std::uint8_t>(syndrome), 0x77);
    KernelRun kernel("io", nic.stream(), GetParam());
    ASSERT_TRUE(wait_for_sent(nic, 3));
    nic.complete_sends();
    ASSERT_TRUE(wait_for_phase(nic, BlockPhase::kFailed));
    kernel.join();
    EXPECT_EQ(nic.status().error_syndrome, syndrome);
    EXPECT_EQ(nic.status().error_vendor, 0x77U);
    EXPECT_EQ(nic.status().error_on_send, 0U);
    EXPECT_EQ(nic.status().error_wqe_counter, 3U);
    EXPECT_EQ(nic.counters().tx_completed, 3U);
    EXPECT_EQ(nic.slots_held(), 0U);
    expect_identity(nic.counters());
  }
}

TEST_P(DeviceForward, a_stopped_send_queue_ends_the_kernel_and_its_packets_are_counted) {
  FakeNic nic({});
  receive_frames(nic, 9);
  KernelRun kernel("io", nic.stream(), GetParam());
  const auto step = [&] { nic.read_sends(); };
  ASSERT_TRUE(step_until([&] { return nic.sent().size() == 9; }, step));
  nic.complete_sends(2);
  nic.fail_send(0x02, 0x68);
  ASSERT_TRUE(wait_for_phase(nic, BlockPhase::kFailed));
  kernel.join();
  EXPECT_EQ(nic.status().error_syndrome, 0x02U);
  EXPECT_EQ(nic.status().error_vendor, 0x68U);
  EXPECT_EQ(nic.status().error_on_send, 1U);
  EXPECT_EQ(nic.status().error_wqe_counter, 2U);
  const StreamCounters counters = nic.counters();
  EXPECT_EQ(counters.tx_completed, 2U);
  EXPECT_EQ(counters.tx_errors, 7U);
  EXPECT_EQ(dropped(counters, DropCause::kTxQueueDown), 7U);
  EXPECT_EQ(counters.tx_bytes, frame_of(0).size() + frame_of(1).size());
  EXPECT_EQ(nic.slots_held(), 0U);
  EXPECT_EQ(nic.released(), 9U);
  expect_identity(counters);
}

TEST_P(DeviceForward, a_send_error_while_draining_fails_too) {
  FakeNic nic({});
  receive_frames(nic, 4);
  KernelRun kernel("io", nic.stream(), GetParam());
  ASSERT_TRUE(wait_for_sent(nic, 4));
  kernel.request_stop();
  ASSERT_TRUE(wait_for_phase(nic, BlockPhase::kDraining));
  nic.fail_send(0x04);
  kernel.join();
  EXPECT_EQ(nic.phase(), BlockPhase::kFailed);
  EXPECT_EQ(nic.counters().tx_errors, 4U);
  EXPECT_EQ(nic.counters().tx_bytes, 0U);
  expect_identity(nic.counters());
}

TEST_P(DeviceForward, exit_ends_an_idle_kernel) {
  for (const char* name : {"io", "rxonly"}) {
    FakeNic nic({});
    KernelRun kernel(name, nic.stream(), GetParam());
    ASSERT_TRUE(wait_for_phase(nic, BlockPhase::kReceiving));
    const std::uint64_t before = monotonic_ns();
    kernel.stop();
    EXPECT_LT(monotonic_ns() - before, 2'000'000'000U);
    EXPECT_EQ(nic.phase(), BlockPhase::kFinished);
  }
}

TEST_P(DeviceForward, exit_ends_a_kernel_that_waits_for_send_room) {
  FakeNic nic({.log_tx = 1});
  nic.stream().drain_ns = 0;
  receive_frames(nic, 8);
  KernelRun kernel("io", nic.stream(), GetParam());
  ASSERT_TRUE(wait_for_phase(nic, BlockPhase::kWaitingForSendRoom));
  kernel.stop();
  EXPECT_EQ(nic.phase(), BlockPhase::kFinished);
  EXPECT_EQ(nic.counters().rx_packets, 2U);
  expect_identity(nic.counters());
}

TEST_P(DeviceForward, after_exit_sends_in_flight_are_awaited_and_nothing_is_received) {
  FakeNic nic({});
  receive_frames(nic, 6);
  KernelRun kernel("io", nic.stream(), GetParam());
  ASSERT_TRUE(wait_for_sent(nic, 6));
  kernel.request_stop();
  ASSERT_TRUE(wait_for_phase(nic, BlockPhase::kDraining));
  receive_frames(nic, 2, 6);
  nic.complete_sends();
  kernel.join();
  EXPECT_EQ(nic.phase(), BlockPhase::kFinished);
  EXPECT_EQ(nic.counters().rx_packets, 6U);
  EXPECT_EQ(nic.counters().tx_completed, 6U);
  EXPECT_EQ(nic.released(), 6U);
}

// Frames that go round come back while others are still to be sent.
TEST_P(DeviceForward, what_is_sent_while_draining_gives_its_slots_back_at_once) {
  FakeNic nic({});
  nic.stream().drain_ns = kEver;
  receive_frames(nic, 6);
  KernelRun kernel("io", nic.stream(), GetParam());
  ASSERT_TRUE(wait_for_sent(nic, 6));
  receive_frames(nic, 3, 6);
  ASSERT_TRUE(wait_for_sent(nic, 9));
  kernel.request_stop();
  ASSERT_TRUE(wait_for_phase(nic, BlockPhase::kDraining));
  nic.complete_sends(6);
  EXPECT_TRUE(wait_until([&] { return nic.released() == 6; }));
  EXPECT_EQ(nic.phase(), BlockPhase::kDraining);
  nic.complete_sends();
  kernel.join();
  EXPECT_EQ(nic.released(), 9U);
}

TEST_P(DeviceForward, draining_ends_at_its_time_when_completions_do_not_come) {
  FakeNic nic({});
  nic.stream().drain_ns = 50'000'000;
  receive_frames(nic, 6);
  KernelRun kernel("io", nic.stream(), GetParam());
  ASSERT_TRUE(wait_for_sent(nic, 6));
  const std::uint64_t before = monotonic_ns();
  kernel.stop();
  EXPECT_GE(monotonic_ns() - before, 50'000'000U);
  EXPECT_LT(monotonic_ns() - before, 2'000'000'000U);
  EXPECT_EQ(nic.phase(), BlockPhase::kFinished);
  EXPECT_EQ(nic.counters().tx_packets, 6U);
  EXPECT_EQ(nic.counters().tx_completed, 0U);
  EXPECT_EQ(nic.released(), 0U);  // the NIC may still read them
  expect_identity(nic.counters());
}

TEST_P(DeviceForward, the_next_kernel_goes_on_where_the_last_one_ended) {
  FakeNic nic({});
  nic.stream().drain_ns = 0;
  receive_frames(nic, 6);
  {
    KernelRun first("io", nic.stream(), GetParam());
    ASSERT_TRUE(wait_for_sent(nic, 6));
  }
  nic.complete_sends();
  receive_frames(nic, 5, 6);
  nic.stream().control->exit = 0;
  KernelRun second("io", nic.stream(), GetParam());
  ASSERT_TRUE(wait_for_sent(nic, 11));
  nic.complete_sends();
  second.stop();
  EXPECT_EQ(nic.counters().rx_packets, 11U);
  EXPECT_EQ(nic.counters().tx_completed, 11U);
  EXPECT_EQ(nic.released(), 11U);
}

// Many packets: the fake NIC looks at the records at any time, also between their two writes.
TEST_P(DeviceForward, a_sink_counts_and_gives_its_slots_back) {
  constexpr std::uint32_t kPackets = 3000;
  FakeNic nic({.packets_are_sent = false});
  nic.stream().tx = {};  // a sink has no send queue
  std::uint32_t next = 0;
  std::uint64_t bytes = 0;
  KernelRun kernel("rxonly", nic.stream(), GetParam());
  const auto step = [&] {
    while (next < kPackets && nic.can_receive()) {
      bytes += frame_of(next).size();
      nic.receive(frame_of(next++));
    }
  };
  ASSERT_TRUE(step_until([&] { return nic.counters().consumed == kPackets; }, step));
  kernel.stop();
  EXPECT_EQ(nic.counters().rx_packets, kPackets);
  EXPECT_EQ(nic.counters().rx_bytes, bytes);
  EXPECT_EQ(nic.released(), kPackets);
  expect_identity(nic.counters());
}

TEST(DeviceForwardIdle, a_kernel_without_traffic_leaves_the_cores_alone) {
  FakeNic nic({});
  KernelRun kernel("io", nic.stream(), 32);
  ASSERT_TRUE(wait_for_phase(nic, BlockPhase::kReceiving));
  const std::uint64_t before = process_cpu_ns();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_LT(process_cpu_ns() - before, 100'000'000U);
}

TEST_P(DeviceForward, each_verdict_is_counted_and_what_is_sent_keeps_its_order) {
  FakeNic nic({.packets_are_sent = false});
  receive_frames(nic, 16);
  KernelRun kernel(OwnProgram<Sorter>(), nic.stream(), GetParam());
  const auto step = [&] {
    nic.read_sends();
    nic.complete_sends();
  };
  ASSERT_TRUE(step_until([&] { return nic.sent().size() == 8; }, step));
  kernel.stop();
  for (std::uint32_t i = 0; i < 8; ++i) EXPECT_EQ(nic.sent()[i].bytes, frame_of(2 * i));
  EXPECT_EQ(dropped(nic.counters(), DropCause::kProgram), 4U);
  EXPECT_EQ(nic.counters().consumed, 4U);
  EXPECT_EQ(nic.released(), 16U);
  expect_identity(nic.counters());
}

// More blocks than cores, and each of them several threads: nobody starves.
TEST(DeviceForwardMany, eight_blocks_all_move) {
  std::vector<std::unique_ptr<FakeNic>> nics;
  std::vector<std::unique_ptr<KernelRun>> kernels;
  for (int i = 0; i < 8; ++i) {
    nics.push_back(std::make_unique<FakeNic>(FakeNic::Config{}));
    kernels.push_back(std::make_unique<KernelRun>("io", nics.back()->stream(), 4));
  }
  for (auto& nic : nics) forward_all(*nic, 40);
}

}  // namespace
}  // namespace ringside::test
