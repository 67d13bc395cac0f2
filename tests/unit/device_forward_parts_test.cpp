// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The loop of persistent kernels where a block's parts are different threads, and a batch's
// doorbell is rung while the next batch is received.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "kernels/all.hpp"
#include "lib/device/forward.hpp"
#include "tests/unit/fake_nic.hpp"
#include "tests/unit/frames.hpp"
#include "tests/unit/parted_host_block.hpp"
#include "tests/unit/wait.hpp"

namespace ringside::test {
namespace {

static_assert(kMayRingLater<MacSwap, PartedHostBlock> && !kMayRingLater<MacSwap, HostBlock>);
static_assert(!kMayRingLater<RxOnly, PartedHostBlock>);

class PartedRun {
 public:
  explicit PartedRun(const StreamArgs& stream) : stream_(stream) {
    for (std::uint32_t rank = 0; rank < PartedTeam::kThreads; ++rank) {
      threads_.emplace_back([this, rank] {
        PartedHostBlock block(team_, rank);
        forward<Io>(block, stream_);
      });
    }
  }
  ~PartedRun() { stop(); }
  void request_stop() { __atomic_store_n(&stream_.control->exit, 1U, __ATOMIC_RELAXED); }
  void join() { threads_.clear(); }
  void stop() {
    request_stop();
    join();
  }

 private:
  const StreamArgs stream_;
  PartedTeam team_;
  std::vector<std::jthread> threads_;
};

// Packets come while others are handed over, in batches of up to four.
TEST(DeviceForwardParts, every_packet_is_sent_unchanged_and_in_order) {
  constexpr std::uint32_t kPackets = 4000;
  FakeNic nic({.log_rx = 5, .log_rx_cq = 5, .log_tx = 5, .log_tx_cq = 5});
  std::uint32_t next = 0;
  const auto step = [&] {
    for (std::uint32_t i = 0; i <= next % 7 && next < kPackets && nic.can_receive(); ++i) {
      nic.receive(frame_of(next++));
    }
    nic.read_sends();
    nic.complete_sends();
  };
  {
    PartedRun kernel(nic.stream());
    ASSERT_TRUE(step_until([&] { return nic.sent().size() >= kPackets; }, step));
  }
  ASSERT_EQ(nic.sent().size(), kPackets);
  for (std::uint32_t i = 0; i < kPackets; ++i) ASSERT_EQ(nic.sent()[i].bytes, frame_of(i)) << i;
  EXPECT_EQ(nic.phase(), BlockPhase::kFinished);
  EXPECT_EQ(nic.counters().tx_completed, kPackets);
  EXPECT_EQ(nic.slots_held(), 0U);
  EXPECT_EQ(nic.released(), kPackets);
}

// A packet that comes alone is rung for at once, by the front: not while the ringer has to ring for
// the batch before, whose doorbell would come after its own.
TEST(DeviceForwardParts, doorbells_never_go_back_when_a_packet_follows_a_batch_alone) {
  constexpr std::uint32_t kRounds = 400;
  FakeNic nic({.log_rx = 5, .log_rx_cq = 5, .log_tx = 5, .log_tx_cq = 5});
  PartedRun kernel(nic.stream());
  std::uint32_t sent = 0;
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    const std::uint32_t batch = 2 + round % 4;
    receive_frames(nic, batch, sent);
    for (std::uint32_t i = 0; i < round % 7; ++i) sched_yield();
    nic.receive(frame_of(sent + batch));
    sent += batch + 1;
    ASSERT_TRUE(wait_for_sent(nic, sent)) << round;
    nic.complete_sends();
    ASSERT_TRUE(wait_until([&] { return nic.can_receive(8); })) << round;
  }
  for (std::uint32_t i = 0; i < sent; ++i) ASSERT_EQ(nic.sent()[i].bytes, frame_of(i)) << i;
}

// Nothing else comes that would let the loop pass on.
TEST(DeviceForwardParts, a_packet_that_comes_alone_is_rung_for) {
  FakeNic nic({});
  PartedRun kernel(nic.stream());
  for (std::uint32_t i = 0; i < 3; ++i) {
    nic.receive(frame_of(i));
    ASSERT_TRUE(wait_until([&] { return nic.read_sends() == 1; }));
    nic.complete_sends();
  }
}

TEST(DeviceForwardParts, what_came_before_the_receive_queue_stopped_is_rung_for) {
  FakeNic nic({});
  receive_frames(nic, 3);
  nic.receive_error(0x02, 0x77);
  PartedRun kernel(nic.stream());
  ASSERT_TRUE(wait_for_sent(nic, 3));
  nic.complete_sends();
  ASSERT_TRUE(wait_until([&] { return nic.phase() == BlockPhase::kFailed; }));
  kernel.join();
  EXPECT_EQ(nic.counters().tx_completed, 3U);
  EXPECT_EQ(nic.slots_held(), 0U);
}

// However the exit word falls between a batch and its doorbell.
TEST(DeviceForwardParts, what_was_received_before_the_exit_is_rung_for) {
  for (std::uint32_t round = 0; round < 50; ++round) {
    FakeNic nic({});
    nic.stream().drain_ns = kEver;
    PartedRun kernel(nic.stream());
    receive_frames(nic, 9);
    ASSERT_TRUE(wait_until([&] { return nic.counters().rx_packets > 0; }));
    kernel.request_stop();
    const auto step = [&] {
      nic.read_sends();
      nic.complete_sends();
    };
    ASSERT_TRUE(step_until([&] { return nic.phase() == BlockPhase::kFinished; }, step));
    kernel.join();
    EXPECT_EQ(nic.sent().size(), nic.counters().rx_packets);
    EXPECT_EQ(nic.counters().tx_completed, nic.counters().rx_packets);
    EXPECT_EQ(nic.slots_held(), 0U);
  }
}

// The error finds a batch that was written and waits for its doorbell, or one that was rung for.
TEST(DeviceForwardParts, what_was_written_when_the_send_queue_stopped_is_counted_as_an_error) {
  for (std::uint32_t round = 0; round < 30; ++round) {
    FakeNic nic({});
    receive_frames(nic, 4);
    PartedRun kernel(nic.stream());
    ASSERT_TRUE(wait_for_sent(nic, 4));
    receive_frames(nic, 5 + round % 4, 4);
    for (std::uint32_t i = 0; i < round % 5; ++i) sched_yield();
    nic.complete_sends(2);
    nic.fail_send(0x02, 0x68);
    ASSERT_TRUE(wait_until([&] { return nic.phase() == BlockPhase::kFailed; }));
    kernel.join();
    const StreamCounters counters = nic.counters();
    EXPECT_EQ(counters.tx_completed, 2U);
    EXPECT_EQ(counters.tx_completed + counters.tx_errors, counters.rx_packets);
    EXPECT_EQ(nic.slots_held(), 0U);
  }
}

TEST(DeviceForwardParts, a_stopped_send_queue_ends_the_kernel_and_its_packets_are_counted) {
  FakeNic nic({});
  receive_frames(nic, 9);
  PartedRun kernel(nic.stream());
  ASSERT_TRUE(wait_for_sent(nic, 9));
  nic.complete_sends(2);
  nic.fail_send(0x02, 0x68);
  ASSERT_TRUE(wait_until([&] { return nic.phase() == BlockPhase::kFailed; }));
  kernel.join();
  EXPECT_EQ(nic.counters().tx_completed, 2U);
  EXPECT_EQ(nic.counters().tx_errors, 7U);
  EXPECT_EQ(nic.slots_held(), 0U);
}

}  // namespace
}  // namespace ringside::test
