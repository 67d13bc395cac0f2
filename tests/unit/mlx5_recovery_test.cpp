// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Queues that stop and are recovered while their kernel runs on, on the software NIC.
#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/device/counted.hpp"
#include "lib/device/receive_queue.hpp"
#include "lib/device/recovery.hpp"
#include "lib/device/send_queue.hpp"
#include "lib/mlx5/queue_recovery.hpp"
#include "tests/unit/block_run.hpp"
#include "tests/unit/own_programs.hpp"
#include "tests/unit/queue_pair.hpp"
#include "tests/unit/shared_recovery_checks.hpp"

namespace ringside::test {
namespace {

[[maybe_unused]] const auto* const kLoopPort = testing::AddGlobalTestEnvironment(new LoopPort);

using Event = mlx5::QueueRecovery::Event;

/// How many threads the block has.
class Recovery : public QueuePair, public testing::WithParamInterface<std::uint32_t> {
 protected:
  static constexpr std::uint32_t kLimit = 3;

  StreamArgs recovering(std::uint32_t first_burst) {
    StreamArgs args = stream(first_burst);
    args.recovers = true;
    recovery.emplace(
        mlx5::QueueRecovery::Parties{
            .request = &status.recovery, .answer = &control.recovery, .rx = &*rx, .tx = &*tx},
        mlx5::RecoveryPolicy{.limit = kLimit, .pause_ns = 1'000'000});
    return args;
  }
  bool await(Event event) {
    return wait_until([&] { return recovery->step(monotonic_ns()) == event; });
  }
  bool await_packets(std::uint64_t more) {
    const std::uint64_t before = read(counters.rx_packets);
    return wait_until([&] { return read(counters.rx_packets) >= before + more; });
  }
  /// The last of a burst of kOwnBuffers lies where no key reaches.
  void spoil_own_frame() {
    LoopPort::expect_broken("key.bounds");
    iova.back() += kPacketBytes;
  }
  void mend_own_frame() { iova.back() -= kPacketBytes; }
  void mend_receive_ring() {
    auto* const ring = reinterpret_cast<DataSegment*>(rx->handle().record) - kDepth;
    for (std::uint32_t i = 0; i < kDepth; ++i) ring[i].lkey = Be32::of(key.lkey());
  }
  /// From a queue that no kernel has.
  void send_frames(std::uint32_t count) {
    mlx5::TxQueue other(domain, arenas, kLogDepth, key.lkey());
    SendQueue<Sharing::kExclusive> queue(other.handle());
    ThreadScope thread;
    const auto packet = [&](std::uint32_t) { return TxPacket{iova[kDepth], 64}; };
    const TxBatch batch = queue.send(thread, count, packet, kEver);
    ASSERT_EQ(queue.poll_at(thread, batch.ticket(), kEver), TxStatus::kOk);
  }
  /// Of a kernel that has ended: what came in went out, or has a cause.
  void expect_account() const {
    EXPECT_EQ(counters.rx_packets + counters.tx_generated,
              counters.tx_completed + counters.tx_errors);
    EXPECT_EQ(counters.dropped[static_cast<unsigned>(DropCause::kTxQueueDown)], counters.tx_errors);
  }

  std::optional<mlx5::QueueRecovery> recovery;
};
INSTANTIATE_TEST_SUITE_P(threads, Recovery, testing::Values(1U, 32U, 256U),
                         [](const auto& size) { return std::to_string(size.param); });

TEST_P(Recovery, a_send_queue_goes_on_while_its_kernel_runs) {
  spoil_own_frame();
  {
    KernelRun run("io", recovering(kOwnBuffers), GetParam());
    ASSERT_TRUE(await(Event::kStopped));
    EXPECT_EQ(recovery->error().find("send queue: LOCAL_PROTECTION_ERR (0x04)"), 0U)
        << recovery->error();
    EXPECT_EQ(phase(), BlockPhase::kAwaitingRecovery);
    mend_own_frame();
    ASSERT_TRUE(await(Event::kReady));
    ASSERT_TRUE(wait_until([&] { return phase() == BlockPhase::kReceiving; }));
    send_frames(2);
    EXPECT_TRUE(await_packets(4 * kDepth));
  }
  EXPECT_EQ(phase(), BlockPhase::kFinished);
  EXPECT_GE(counters.tx_errors, 1U);
  expect_account();
  expect_traffic(2 * kDepth);  // of a kernel that begins where this one ended
}

TEST_P(Recovery, a_receive_queue_goes_on_while_its_kernel_runs) {
  for (int turn = 1; turn <= 2; ++turn) {
    spoil_receive_ring();
    const std::uint64_t errors = counters.rx_errors;
    KernelRun run("io", recovering(kOwnBuffers), GetParam());
    ASSERT_TRUE(await(Event::kStopped));
    EXPECT_EQ(recovery->error().find("receive queue: LOCAL_PROTECTION_ERR (0x04)"), 0U)
        << recovery->error();
    mend_receive_ring();
    ASSERT_TRUE(await(Event::kReady));
    ASSERT_TRUE(wait_until([&] { return phase() == BlockPhase::kReceiving; }));
    send_frames(2);
    EXPECT_TRUE(await_packets(4 * kDepth));
    EXPECT_EQ(read(counters.rx_errors), errors + 1) << "the packet that was not written";
    run.stop();
    EXPECT_EQ(phase(), BlockPhase::kFinished);
    expect_account();
  }
  EXPECT_NE(rx->handle().cq_offset, 0U);
  expect_traffic(2 * kDepth);
}

TEST_P(Recovery, a_cause_that_stays_ends_the_kernel_after_the_last_attempt) {
  KernelRun run(
      "txonly",
      [&] {
        StreamArgs args = recovering(0);
        args.tx.lkey += 0x100;
        return args;
      }(),
      GetParam());
  const std::uint64_t began = monotonic_ns();
  for (std::uint32_t attempt = 1; attempt <= kLimit; ++attempt) {
    ASSERT_TRUE(await(Event::kStopped)) << attempt;
    EXPECT_EQ(recovery->attempt(), attempt);
    EXPECT_EQ(recovery->pause_ns(), std::uint64_t{1'000'000} << (attempt - 1));
  }
  ASSERT_TRUE(await(Event::kGivenUp));
  EXPECT_GE(monotonic_ns() - began, std::uint64_t{1'000'000} * ((1U << kLimit) - 1));
  EXPECT_NE(recovery->reason().find("3 recoveries"), std::string::npos) << recovery->reason();
  ASSERT_TRUE(wait_until([&] { return phase() == BlockPhase::kFailed; }));
  run.join();
  EXPECT_EQ(status.error_on_send, 1U);
  EXPECT_EQ(counters.tx_generated, counters.tx_errors);
  tx->recover();
  expect_traffic(2 * kDepth);
}

/// The exit word comes at each step of a recovery; then the CPU recovers alone.
TEST_P(Recovery, a_kernel_that_waits_for_its_queue_can_be_stopped) {
  for (int steps = 0; steps < 3; ++steps) {
    spoil_receive_ring();
    {
      KernelRun run("io", recovering(kOwnBuffers), GetParam());
      ASSERT_TRUE(wait_until([&] { return phase() == BlockPhase::kAwaitingRecovery; }));
      if (steps > 0) {
        ASSERT_TRUE(await(Event::kStopped));
      }
      if (steps > 1) {
        ASSERT_TRUE(wait_until([&] {
          if (std::atomic_ref(status.recovery.emptied).load() != 0) return true;
          if (std::atomic_ref(control.recovery.reset).load() == 0) recovery->step(monotonic_ns());
          return false;
        }));
      }
    }
    EXPECT_EQ(phase(), BlockPhase::kFailed);
    EXPECT_EQ(status.error_on_send, 0U);
    recovery->kernel_ended();
    EXPECT_TRUE(rx->stopped());
    rx->recover();  // which mends the ring
    expect_traffic(2 * kDepth);
  }
}

/// A kernel of its own, which sends and receives by the two queues and goes on when they stop.
TEST_P(Recovery, queues_of_a_users_kernel_go_on_too) {
  spoil_own_frame();
  spoil_receive_ring();
  StreamArgs args = recovering(0);
  ReceivesItsOwn::Aim aim{kOwnBuffers, 4 * kDepth};
  args.program.own = &aim;
  KernelRun kernel(OwnProgram<ReceivesItsOwn>(), args, GetParam());
  ASSERT_TRUE(await(Event::kStopped));
  EXPECT_EQ(recovery->error().find("send queue"), 0U) << recovery->error();
  mend_own_frame();
  ASSERT_TRUE(await(Event::kReady));
  // The frames of before were received at keys that did not hold.
  ASSERT_TRUE(await(Event::kStopped));
  EXPECT_EQ(recovery->error().find("receive queue"), 0U) << recovery->error();
  mend_receive_ring();
  ASSERT_TRUE(await(Event::kReady));
  kernel.join();
  EXPECT_EQ(status.phase, BlockPhase::kFinished);
  EXPECT_FALSE(rx->stopped());
  EXPECT_FALSE(tx->stopped());
}

/// Three blocks that share a send queue.
class SharedRecovery : public Recovery {
 protected:
  static constexpr std::uint32_t kUsers = 3;
  static constexpr std::uint32_t kRounds = 20;

  template <class Beside>
  void use_together(const StreamArgs& args, Beside beside) {
    const UsesASharedQueue::Orders orders{
        {tx->handle(), &shared, batch_end.data()}, args, kUsers, kOwnBuffers, kRounds, outcomes};
    const ReachableDoorbell doorbell(args.tx.doorbell);
    check_in_blocks<UsesASharedQueue>(kUsers, GetParam(), Part::kWhole, &orders, beside);
  }

  TxSharedState shared{};
  std::vector<std::uint64_t> batch_end = std::vector<std::uint64_t>(kDepth);
  UsesASharedQueue::Outcome outcomes[kUsers] = {};
};
INSTANTIATE_TEST_SUITE_P(threads, SharedRecovery, testing::Values(1U, 32U, 256U),
                         [](const auto& size) { return std::to_string(size.param); });

TEST_P(SharedRecovery, a_send_queue_that_several_share_goes_on_and_the_next_kernels_have_it) {
  for (int kernel = 0; kernel < 3; ++kernel) {
    spoil_own_frame();
    use_together(recovering(0), [&] {
      ASSERT_TRUE(await(Event::kStopped));
      EXPECT_EQ(recovery->error().find("send queue: LOCAL_PROTECTION_ERR (0x04)"), 0U)
          << recovery->error();
      mend_own_frame();
      ASSERT_TRUE(await(Event::kReady));
    });
    for (const auto& outcome : outcomes) {
      EXPECT_EQ(outcome.stops, 1U);
      EXPECT_EQ(outcome.sent_after, kRounds);
    }
    EXPECT_EQ(shared.reserved, kUsers * kRounds * kOwnBuffers);
    EXPECT_EQ(shared.completed, shared.reserved) << "each user has polled its last batch";
    EXPECT_FALSE(tx->stopped());
  }
}

TEST_P(SharedRecovery, users_that_wait_for_their_queue_can_be_stopped) {
  spoil_own_frame();
  use_together(recovering(0), [&] {
    ASSERT_TRUE(wait_until([&] { return std::atomic_ref(status.recovery.stopped).load() != 0; }));
    std::atomic_ref(control.exit).store(1);
  });
  for (const auto& outcome : outcomes) EXPECT_FALSE(outcome.recovered);
  mend_own_frame();
  EXPECT_TRUE(tx->stopped());
}

TEST_P(SharedRecovery, a_cause_that_stays_ends_all_users_after_the_last_attempt) {
  spoil_own_frame();
  use_together(recovering(0), [&] { ASSERT_TRUE(await(Event::kGivenUp)); });
  for (const auto& outcome : outcomes) {
    EXPECT_EQ(outcome.stops, kLimit + 1);
    EXPECT_EQ(outcome.sent_after, 0U);
  }
  mend_own_frame();
}

#if !defined(RINGSIDE_TEST_ON_GPU)  // these kernels are bodies for host threads
constexpr std::uint64_t kSecond = 1'000'000'000;

/// A kernel of its own that counts: body(block, words, tally) in each of its threads.
class CountedRecovery : public Recovery {
 protected:
  template <class Body>
  std::jthread counting_kernel(const StreamArgs& args, Body body) {
    return std::jthread([this, &args, body] {
      run_block(GetParam(), [&](HostBlock& block) {
        if (block.rank() == 0) tally_.begin(&published);
        block.sync();
        body(block, RecoveryWords{&args.status->recovery, &args.control->recovery}, tally_);
      });
    });
  }
  std::uint64_t protection_errors() const {
    return published.errors[static_cast<std::uint32_t>(QueueErrorCause::kProtection)];
  }
  static constexpr auto kNever = [] { return false; };

  QueueCounters published{};

 private:
  QueueTally tally_;
};
INSTANTIATE_TEST_SUITE_P(threads, CountedRecovery, testing::Values(1U, 32U, 256U),
                         [](const auto& size) { return std::to_string(size.param); });

TEST_P(CountedRecovery, each_stop_of_a_send_queue_counts_and_so_does_what_was_sent_before_it) {
  LoopPort::expect_broken("key.bounds");
  const StreamArgs args = recovering(0);
  const auto sends_and_stops = [&](HostBlock& block, const RecoveryWords& words,
                                   QueueTally& tally) {
    CountedSendQueue<Sharing::kExclusive> counted(args.tx, tally);
    SendQueue<Sharing::kExclusive>& queue = counted.queue();
    for (const bool well : {false, false, true}) {
      const auto packet = [&](std::uint32_t i) {
        const std::uint64_t beyond = !well && i == 3 ? kPacketBytes : 0;
        return TxPacket{args.tx_buffers.iova[kOwnBuffers - 1] + beyond, 64};
      };
      const TxBatch batch = counted.send(block, 4, packet, kSecond);
      ASSERT_EQ(queue.poll_at(block, batch.ticket(), kEver),
                well ? TxStatus::kOk : TxStatus::kStopped);
      if (!well) {
        ASSERT_TRUE(recover(block, words, {kRecoverSend, queue.stop_error()}, kNever, counted));
      }
    }
    if (block.rank() == 0) counted.publish();
  };
  std::jthread kernel = counting_kernel(args, sends_and_stops);
  for (int stop = 0; stop < 2; ++stop) {
    ASSERT_TRUE(await(Event::kStopped)) << stop;
    ASSERT_TRUE(await(Event::kReady)) << stop;
  }
  kernel.join();
  EXPECT_EQ(published.packets, 12U);
  EXPECT_EQ(protection_errors(), 2U);
  EXPECT_EQ(published.completed, 10U) << "all but the two that could not be read";
}

TEST_P(CountedRecovery, each_stop_of_a_receive_queue_counts) {
  spoil_receive_ring();
  const StreamArgs args = recovering(0);
  const auto receives_and_stops = [&](HostBlock& block, const RecoveryWords& words,
                                      QueueTally& tally) {
    SendQueue<Sharing::kExclusive> sender(args.tx);
    CountedReceiveQueue counted(args.rx, tally);
    ReceiveQueue& queue = counted.queue();
    for (const bool well : {false, false, true}) {
      const auto packet = [&](std::uint32_t) { return TxPacket{args.tx_buffers.iova[0], 64}; };
      ASSERT_EQ(sender.send(block, 1, packet, kSecond).status, TxStatus::kOk);
      const RxBatch batch = counted.receive(block, {1, 1, kEver});
      ASSERT_EQ(batch.stopped, !well);
      if (batch.stopped) {
        const QueueStop stop{kRecoverReceive, queue.stop_error(batch)};
        EXPECT_TRUE(counted.receive(block, {1, 1, 0}).stopped) << "which counts no more";
        ASSERT_TRUE(recover(block, words, stop, kNever, counted));
      }
    }
    if (block.rank() == 0) counted.publish();
  };
  std::jthread kernel = counting_kernel(args, receives_and_stops);
  ASSERT_TRUE(await(Event::kStopped));
  ASSERT_TRUE(await(Event::kReady));
  ASSERT_TRUE(await(Event::kStopped)) << "nobody has mended the ring";
  mend_receive_ring();
  ASSERT_TRUE(await(Event::kReady));
  kernel.join();
  EXPECT_EQ(published.packets, 1U);
  EXPECT_EQ(protection_errors(), 2U);
}

TEST_P(CountedRecovery, each_stop_of_a_queue_that_several_share_counts_and_what_was_sent_adds_up) {
  LoopPort::expect_broken("key.bounds");
  const StreamArgs args = recovering(0);
  TxSharedState shared{};
  std::vector<std::uint64_t> batch_end(kDepth);
  const SharedTxQueueHandle handle{tx->handle(), &shared, batch_end.data()};
  const auto sends_and_stops = [&](HostBlock& block, const RecoveryWords& words,
                                   QueueTally& tally) {
    CountedSendQueue<Sharing::kGpu> counted(handle, tally);
    for (const bool well : {false, false, true}) {
      const auto packet = [&](std::uint32_t i) {
        const std::uint64_t beyond = !well && i == 3 ? kPacketBytes : 0;
        return TxPacket{args.tx_buffers.iova[kOwnBuffers - 1] + beyond, 64};
      };
      const TxBatch batch = counted.send(block, 4, packet, kSecond);
      ASSERT_EQ(counted.queue().poll_at(block, batch.ticket(), kEver),
                well ? TxStatus::kOk : TxStatus::kStopped);
      if (!well) {
        ASSERT_TRUE(recover_together(block, words, 1, kNever, counted));
      }
    }
    if (block.rank() == 0) counted.publish();
  };
  std::jthread kernel = counting_kernel(args, sends_and_stops);
  for (int stop = 0; stop < 2; ++stop) {
    ASSERT_TRUE(await(Event::kStopped)) << stop;
    ASSERT_TRUE(await(Event::kReady)) << stop;
  }
  kernel.join();
  EXPECT_EQ(published.packets, 12U);
  EXPECT_EQ(protection_errors(), 2U);
  EXPECT_EQ(published.completed, 10U) << "all but the two that could not be read";
  EXPECT_EQ(published.completed_before, 6U) << "the last queue's tickets count from here";
}

/// As where a kernel ends on an error and the CPU recovers its queue.
TEST_P(CountedRecovery, a_kernel_goes_on_counting_where_one_before_a_recovery_has_ended) {
  const StreamArgs args = recovering(0);
  const auto sends = [&](std::uint32_t count) {
    return [&args, count](HostBlock& block, const RecoveryWords&, QueueTally& tally) {
      CountedSendQueue<Sharing::kExclusive> counted(args.tx, tally);
      const auto packet = [&](std::uint32_t) { return TxPacket{args.tx_buffers.iova[0], 64}; };
      const TxBatch batch = counted.send(block, count, packet, kSecond);
      EXPECT_EQ(counted.queue().poll_at(block, batch.ticket(), kEver), TxStatus::kOk);
      if (block.rank() == 0) counted.publish();
    };
  };
  counting_kernel(args, sends(5)).join();
  tx->recover();
  counting_kernel(args, sends(3)).join();
  EXPECT_EQ(published.completed, 8U);
  counting_kernel(args, sends(2)).join();
  EXPECT_EQ(published.completed, 10U) << "no recovery between these two";
}

#endif

}  // namespace
}  // namespace ringside::test
