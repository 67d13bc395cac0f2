// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Kernels that hand packets to each other, against the fake NIC: the first one has its receive
// queue, the last one its send queue.
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "tests/unit/fake_nic.hpp"
#include "tests/unit/kernel_run.hpp"
#include "tests/unit/own_programs.hpp"
#include "tests/unit/pages.hpp"

namespace ringside::test {
namespace {

constexpr std::uint64_t kDrainNs = 200'000'000;

/// A NIC, and kernels that its packets pass through.
class Rig {
 public:
  Rig(const FakeNic::Config& config, std::size_t kernels, std::uint32_t log_ring,
      std::uint64_t ring_start = 0)
      : nic(config), words_(kernels) {
    for (std::size_t i = 0; i + 1 < kernels; ++i) {
      rings_.push_back(allocate_pages(semaphore_bytes<PacketItem>(log_ring)));
      const auto ring = semaphore_in<PacketItem>(rings_.back().get(), log_ring);
      ring.words->posted = ring.words->collected = ring.words->taken = ring_start;
    }
    for (std::size_t i = 0; i < kernels; ++i) {
      StreamArgs& args = words_[i].args;
      args = nic.stream();
      args.counters = &words_[i].counters;
      args.control = &words_[i].control;
      args.status = &words_[i].status;
      args.drain_ns = kDrainNs;
      args.program.own = &words_[i].orders;
      if (i > 0) args.from = way(i - 1, log_ring);
      if (i + 1 < kernels) args.to = way(i, log_ring);
      if (i > 0) args.rx = {};
      if (i + 1 < kernels) args.tx = {};
    }
  }

  void start(std::size_t kernel, std::uint32_t threads) {
    const auto as = [&](auto program) {
      words_[kernel].run.emplace(program, words_[kernel].args, threads);
    };
    if (kernel == 0) {
      as(OwnProgram<Passes<false, true>>());
    } else if (kernel + 1 == words_.size()) {
      as(OwnProgram<Passes<true, false>>());
    } else {
      as(OwnProgram<Passes<true, true>>());
    }
  }
  void start_all(std::uint32_t threads) {
    for (std::size_t i = 0; i < words_.size(); ++i) start(i, threads);
  }
  /// One after the other, as the runtime does; the NIC completes meanwhile.
  void stop_all(bool nic_goes_on = true) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      words_[i].run->request_stop();
      EXPECT_TRUE(step_until([&] { return ended(i); },
                             [&] {
                               if (nic_goes_on) serve();
                             }));
      words_[i].run->join();
      EXPECT_EQ(words_[i].orders.strange, 0U) << "a packet's CQE was not its own";
    }
  }
  void serve() {
    nic.read_sends();
    nic.complete_sends();
  }

  BlockPhase phase(std::size_t kernel) { return load_acquire_system(&words_[kernel].status.phase); }
  bool ended(std::size_t kernel) {
    return phase(kernel) == BlockPhase::kFinished || phase(kernel) == BlockPhase::kFailed;
  }
  std::uint64_t received() {
    return __atomic_load_n(&words_[0].counters.rx_packets, __ATOMIC_RELAXED);
  }
  StreamCounters counters(std::size_t kernel) const { return words_[kernel].counters; }
  const StreamStatus& status(std::size_t kernel) const { return words_[kernel].status; }
  Orders& orders(std::size_t kernel) { return words_[kernel].orders; }

  FakeNic nic;

 private:
  HandOver way(std::size_t ring, std::uint32_t log_ring) {
    return {semaphore_in<PacketItem>(rings_[ring].get(), log_ring), nic.stream().rx.view_offset};
  }

  struct Words {
    StreamCounters counters{};
    StreamControl control{};
    StreamStatus status{};
    Orders orders{};
    StreamArgs args{};
    std::optional<KernelRun> run;
  };
  std::vector<Pages> rings_;
  std::deque<Words> words_;
};

std::vector<std::uint8_t> frame_of(std::uint64_t number) {
  std::vector<std::uint8_t> frame(20 + number % 200);
  for (std::size_t i = 0; i < frame.size(); ++i) frame[i] = static_cast<std::uint8_t>(number + i);
  frame[0] = static_cast<std::uint8_t>(number % 4);
  frame[1] = 0;
  return frame;
}

std::uint64_t dropped(const StreamCounters& counters, DropCause cause) {
  return counters.dropped[static_cast<std::uint32_t>(cause)];
}

/// Plays `count` frames and awaits that so many of them come out.
void play(Rig& rig, std::uint32_t count, std::size_t expected) {
  std::uint32_t next = 0;
  ASSERT_TRUE(step_until([&] { return next == count && rig.nic.sent().size() >= expected; },
                         [&] {
                           while (next < count && rig.nic.can_receive()) {
                             rig.nic.receive(frame_of(next++));
                           }
                           rig.serve();
                         }));
}

using DeviceHandOver = BlockSizes;
RS_FOR_BLOCK_SIZES(DeviceHandOver);

TEST_P(DeviceHandOver, every_packet_passes_through_all_kernels_in_place_and_in_order) {
  for (const std::size_t kernels : {2U, 3U}) {
    Rig rig({.log_rx_cq = 5}, kernels, 3, (std::uint64_t{1} << 33) - 5);
    rig.start_all(GetParam());
    play(rig, 100, 100);
    rig.stop_all();
    for (std::uint32_t i = 0; i < 100; ++i) {
      std::vector<std::uint8_t> expected = frame_of(i);
      expected[1] = static_cast<std::uint8_t>(kernels);
      ASSERT_EQ(rig.nic.sent()[i].bytes, expected) << i;
      ASSERT_EQ(rig.nic.sent()[i].rx_index, i);
    }
    EXPECT_EQ(rig.nic.slots_held(), 0U);
    EXPECT_EQ(rig.nic.released(), 100U);
    for (std::size_t k = 0; k < kernels; ++k) {
      EXPECT_EQ(rig.phase(k), BlockPhase::kFinished);
      EXPECT_EQ(rig.counters(k).rx_packets, 100U);
      EXPECT_EQ(rig.counters(k).tx_packets, 100U);
      EXPECT_EQ(rig.counters(k).tx_completed, 100U);
    }
  }
}

TEST_P(DeviceHandOver, what_any_kernel_drops_or_consumes_gives_its_slot_back) {
  Rig rig({.packets_are_sent = false}, 3, 3);
  rig.orders(0).drops = 0;
  rig.orders(1).consumes = 1;
  rig.orders(2).drops = 2;
  rig.start_all(GetParam());
  play(rig, 200, 50);
  rig.stop_all();
  ASSERT_EQ(rig.nic.sent().size(), 50U);
  for (std::uint32_t i = 0; i < 50; ++i) {
    std::vector<std::uint8_t> expected = frame_of(4 * i + 3);
    expected[1] = 3;
    ASSERT_EQ(rig.nic.sent()[i].bytes, expected);
  }
  EXPECT_EQ(rig.nic.slots_held(), 0U);
  EXPECT_EQ(rig.counters(0).rx_packets, 200U);
  EXPECT_EQ(dropped(rig.counters(0), DropCause::kProgram), 50U);
  EXPECT_EQ(rig.counters(1).consumed, 50U);
  EXPECT_EQ(dropped(rig.counters(2), DropCause::kProgram), 50U);
  EXPECT_EQ(rig.counters(2).tx_completed, 50U);
}

TEST_P(DeviceHandOver, a_kernel_that_does_not_keep_up_leaves_packets_with_the_nic) {
  Rig rig({}, 2, 2);
  rig.start(0, GetParam());
  for (std::uint32_t i = 0; i < 16; ++i) rig.nic.receive(frame_of(i));
  ASSERT_TRUE(wait_until([&] { return rig.phase(0) == BlockPhase::kWaitingForSendRoom; }));
  EXPECT_FALSE(rig.nic.can_receive());
  rig.start(1, GetParam());
  ASSERT_TRUE(step_until([&] { return rig.nic.sent().size() == 16; }, [&] { rig.serve(); }));
  rig.stop_all();
  EXPECT_EQ(rig.nic.slots_held(), 0U);
  EXPECT_EQ(rig.received(), 16U);
}

TEST_P(DeviceHandOver, a_send_queue_that_stops_ends_the_kernels_before_and_no_slot_is_lost) {
  Rig rig({.packets_are_sent = false}, 3, 2);
  rig.start_all(GetParam());
  std::uint32_t next = 0;
  const auto feed = [&] {
    while (next < 40 && rig.nic.can_receive()) rig.nic.receive(frame_of(next++));
  };
  ASSERT_TRUE(step_until([&] { return rig.nic.sent().size() >= 8; },
                         [&] {
                           feed();
                           rig.serve();
                         }));
  ASSERT_TRUE(step_until([&] { return rig.nic.sent().size() > 10; },
                         [&] {
                           feed();
                           rig.nic.read_sends();
                         }));
  rig.nic.fail_send(0x04, 0x51);
  ASSERT_TRUE(wait_until([&] { return rig.ended(0) && rig.ended(1) && rig.ended(2); }));
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(rig.phase(k), BlockPhase::kFailed);
  EXPECT_EQ(rig.status(2).error_syndrome, 0x04U);
  EXPECT_EQ(rig.status(1).error_syndrome, 0U);
  EXPECT_EQ(rig.nic.slots_held(), 0U);
  std::uint64_t lost = 0;
  for (std::size_t k = 0; k < 3; ++k) lost += dropped(rig.counters(k), DropCause::kTxQueueDown);
  EXPECT_EQ(rig.received(), rig.counters(2).tx_completed + lost);
  EXPECT_GT(lost, 0U);
}

TEST_P(DeviceHandOver, a_receive_queue_that_stops_ends_the_first_kernel_once_all_is_sent) {
  Rig rig({}, 2, 3);
  rig.start_all(GetParam());
  play(rig, 30, 30);
  rig.nic.receive_error(0x05, 0xf9);
  ASSERT_TRUE(step_until([&] { return rig.ended(0); }, [&] { rig.serve(); }));
  EXPECT_EQ(rig.phase(0), BlockPhase::kFailed);
  EXPECT_EQ(rig.status(0).error_on_send, 0U);
  EXPECT_EQ(rig.counters(0).tx_completed, 30U);
  EXPECT_FALSE(rig.ended(1));
  rig.stop_all();
  EXPECT_EQ(rig.phase(1), BlockPhase::kFinished);
}

TEST_P(DeviceHandOver, a_nic_that_completes_nothing_does_not_keep_kernels_from_ending) {
  Rig rig({}, 2, 3);
  rig.start_all(GetParam());
  for (std::uint32_t i = 0; i < 5; ++i) rig.nic.receive(frame_of(i));
  ASSERT_TRUE(
      step_until([&] { return rig.nic.sent().size() == 5; }, [&] { rig.nic.read_sends(); }));
  const std::uint64_t start = monotonic_ns();
  rig.stop_all(false);
  EXPECT_GE(monotonic_ns() - start, 2 * kDrainNs);
  EXPECT_EQ(rig.phase(0), BlockPhase::kFinished);
  EXPECT_EQ(rig.phase(1), BlockPhase::kFinished);
  // The NIC may read them still: nothing was given back, and the CPU can tell.
  EXPECT_EQ(rig.nic.released(), 0U);
  EXPECT_EQ(rig.counters(0).tx_packets - rig.counters(0).tx_completed, 5U);
}

}  // namespace
}  // namespace ringside::test
