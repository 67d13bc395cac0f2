// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What pipelines' kernels make of their queues' options: offloads, and batches that wait.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/pipeline.hpp"
#include "lib/device/impl/gathering.hpp"
#include "tests/unit/fake_nic.hpp"
#include "tests/unit/kernel_run.hpp"

namespace ringside::test {
namespace {

constexpr std::uint64_t kForEver = 60'000'000'000;

/// A pipeline without stages, and all that its kernel needs.
class Pipe {
 public:
  Pipe(const FakeNic::Config& config, std::uint64_t gather_ns, const TxOffload& offload = {})
      : nic(config) {
    args_.control = &control_;
    args_.status = &status_;
    args_.counters = &told_;
    args_.counters_here = &here_;
    args_.offload = offload;
    args_.gather_ns = gather_ns;
    chain_.stages = 1;
    chain_.stage[0].op = stages::Op::kPass;
    chain_.stage[0].on = stages::kSendTarget;
    nic.stream().program.own = &args_;
  }

  void receive(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) nic.receive(std::vector<std::uint8_t>(60 + i));
  }
  void sends(std::uint32_t count) {
    const auto step = [&] {
      nic.read_sends();
      nic.complete_sends();
    };
    ASSERT_TRUE(step_until([&] { return nic.sent().size() >= count; }, step));
    EXPECT_EQ(nic.sent().size(), count);
  }
  void stays_quiet() {
    const std::uint64_t begin_ns = monotonic_ns();
    while (monotonic_ns() - begin_ns < 30'000'000) {
      ASSERT_EQ(nic.read_sends(), 0U);
      sched_yield();
    }
  }

  FakeNic nic;

 private:
  stages::Chain chain_{};
  PipelineControl control_{&chain_};
  PipelineStatus status_{};
  stages::StageCounters told_{}, here_{};
  PipelineArgs args_{};
};

using KernelsPipelineQueue = BlockSizes;
RS_FOR_BLOCK_SIZES(KernelsPipelineQueue);

TEST_P(KernelsPipelineQueue, every_packet_asks_for_the_offloads_of_its_queue) {
  FakeNic::Config config;
  // PRM, "Ethernet Segment": checksums at byte 4, insertion at 12 and 13, the tag behind them.
  config.ethernet_segment = {0, 0, 0, 0, kCsL3 | kCsL4, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0x60, 0x2a};
  for (const bool split : {false, true}) {
    config.split_at = split ? 64 : 0;
    Pipe pipe(config, 0,
              {.checksums = kCsL3 | kCsL4, .insert_vlan = true, .vlan_tci = 3 << 13 | 42});
    KernelRun kernel(split ? "split_pipeline" : "pipeline", pipe.nic.stream(), GetParam());
    pipe.receive(9);
    pipe.sends(9);
  }
}

TEST_P(KernelsPipelineQueue, a_batch_waits_until_it_is_full) {
  Pipe pipe({}, kForEver);
  pipe.nic.stream().burst = 8;
  KernelRun kernel("pipeline", pipe.nic.stream(), GetParam());
  for (std::uint32_t round = 1; round <= 3; ++round) {
    pipe.receive(7);
    pipe.stays_quiet();
    pipe.receive(1);
    pipe.sends(8 * round);
  }
}

TEST_P(KernelsPipelineQueue, a_batch_that_has_waited_long_enough_goes_as_it_is) {
  constexpr std::uint64_t kWaitNs = 50'000'000;
  Pipe pipe({}, kWaitNs);
  pipe.nic.stream().burst = 8;
  KernelRun kernel("pipeline", pipe.nic.stream(), GetParam());
  const std::uint64_t begin_ns = monotonic_ns();
  pipe.receive(3);
  pipe.sends(3);
  EXPECT_GE(monotonic_ns() - begin_ns, kWaitNs);
}

TEST_P(KernelsPipelineQueue, a_batch_is_not_waited_for_that_the_send_ring_has_no_room_for) {
  Pipe pipe({.log_tx = 2}, kForEver);
  pipe.nic.stream().burst = 8;
  KernelRun kernel("pipeline", pipe.nic.stream(), GetParam());
  pipe.receive(4);
  pipe.sends(4);
}

TEST_P(KernelsPipelineQueue, a_kernel_that_waits_for_a_batch_ends_when_it_is_told_to) {
  Pipe pipe({}, kForEver);
  pipe.nic.stream().burst = 8;
  KernelRun kernel("pipeline", pipe.nic.stream(), GetParam());
  pipe.receive(3);
  pipe.stays_quiet();
  kernel.stop();
  EXPECT_EQ(pipe.nic.phase(), BlockPhase::kFinished);
  EXPECT_EQ(pipe.nic.counters().rx_packets, 0U);  // they are the NIC's
}

TEST(KernelsGathering, a_batch_is_taken_in_as_many_passes_as_it_takes_and_no_more) {
  std::uint32_t there = 7;
  const auto ready = [&](std::uint32_t i) { return i < there; };
  Gathering gathering;
  EXPECT_EQ(gathering.allowed(100, 1000, 8, ready), 0U);
  there = 12;
  for (std::uint32_t left = 8; left > 0; left -= 2) {
    EXPECT_EQ(gathering.allowed(100, 1001, 8, ready), left);
    gathering.taken(2);
    there -= 2;
  }
  EXPECT_EQ(gathering.allowed(100, 1050, 8, ready), 0U);  // the next one waits, from now on
  gathering.taken(0);
  EXPECT_EQ(gathering.allowed(100, 1149, 8, ready), 0U);
  EXPECT_EQ(gathering.allowed(100, 1150, 8, ready), 8U);
  gathering.taken(4);
  there = 0;
  EXPECT_EQ(gathering.allowed(100, 1151, 8, ready), 4U);
  gathering.taken(0);
  there = 1;
  EXPECT_EQ(gathering.allowed(100, 1152, 8, ready), 0U);
}

}  // namespace
}  // namespace ringside::test
