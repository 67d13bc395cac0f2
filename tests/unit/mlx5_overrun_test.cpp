// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Completion queues that die without a word, and are made anew while their kernel runs on: on a
// software NIC that kills the one of each queue after 100 packets.
#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/device/recovery.hpp"
#include "lib/device/send_queue.hpp"
#include "lib/device/shared_recovery.hpp"
#include "lib/mlx5/queue_recovery.hpp"
#include "tests/unit/own_programs.hpp"
#include "tests/unit/queue_pair.hpp"

namespace ringside::test {
namespace {

[[maybe_unused]] const auto* const kLoopPort =
    testing::AddGlobalTestEnvironment(new LoopPort(R"("faults": ["cq-overrun:packet=100"], )"));

using Event = mlx5::QueueRecovery::Event;

/// How many threads the block has.
class Overrun : public QueuePair, public testing::WithParamInterface<std::uint32_t> {
 protected:
  static constexpr std::uint32_t kLimit = 12;

  StreamArgs recovering(std::uint32_t first_burst) {
    StreamArgs args = stream(first_burst);
    args.recovers = true;
    recovery.emplace(mlx5::QueueRecovery::Parties{.request = &status.recovery,
                                                  .answer = &control.recovery,
                                                  .rx = &*rx,
                                                  .tx = &*tx,
                                                  .renew_rx = [this] { renew_rx(); }},
                     mlx5::RecoveryPolicy{.limit = kLimit, .pause_ns = 1'000'000, .forget_ns = 1});
    return args;
  }
  void renew_rx() {
    const mlx5::ReceiveRing::Former former = rx->renew(mlx5::EmptiedBy::kKernel);
    traffic.reset();  // the former queue stays as long as anything leads there
    traffic.emplace(context, rx->number(), transport_domain.number());
  }
  bool await(Event event) {
    return wait_until([&] { return recovery->step(monotonic_ns()) == event; });
  }
  /// Of the kernel's queues those whose completion queues are dead, in the end.
  std::uint32_t await_overrun() {
    std::uint32_t dead = 0;
    EXPECT_TRUE(wait_until([&] {
      dead = (tx->completions_overrun() ? kRecoverSend : 0) |
             (rx->completions_overrun() ? kRecoverReceive : 0);
      return dead != 0;
    }));
    return dead;
  }
  /// From a queue that no kernel has.
  void send_frames(std::uint32_t count) {
    SendQueue<Sharing::kExclusive> queue(other.handle());
    ThreadScope thread;
    const auto packet = [&](std::uint32_t) { return TxPacket{iova[kDepth], 64}; };
    const TxBatch batch = queue.send(thread, count, packet, kSecond);
    ASSERT_EQ(queue.poll_at(thread, batch.ticket(), kSecond), TxStatus::kOk);
  }

  static constexpr std::uint64_t kSecond = 1'000'000'000;
  mlx5::TxQueue other{domain, arenas, kLogDepth, key.lkey()};
  std::optional<mlx5::QueueRecovery> recovery;
};
INSTANTIATE_TEST_SUITE_P(threads, Overrun, testing::Values(1U, 32U, 256U),
                         [](const auto& size) { return std::to_string(size.param); });

TEST_P(Overrun, of_either_completion_queue_is_recovered_while_the_kernel_runs) {
  std::uint32_t sends = 0, receives = 0;
  KernelRun run("io", recovering(kOwnBuffers), GetParam());
  for (std::uint32_t turn = 0; (sends < 2 || receives < 2) && turn < kLimit; ++turn) {
    const std::uint32_t sqn = tx->number();
    const std::uint32_t rqn = rx->number();
    const std::uint32_t dead = await_overrun();
    EXPECT_EQ(phase(), BlockPhase::kReceiving) << "nothing tells the kernel";
    recovery->tell_overrun(dead);
    ASSERT_TRUE(await(Event::kStopped));
    EXPECT_EQ(recovery->error(), (dead & kRecoverReceive) != 0
                                     ? "receive queue: its completion queue has overrun"
                                     : "send queue: its completion queue has overrun");
    ASSERT_TRUE(await(Event::kReady));
    EXPECT_TRUE((dead & kRecoverSend) == 0 || tx->number() != sqn) << "made anew";
    EXPECT_TRUE((dead & kRecoverReceive) == 0 || rx->number() != rqn) << "made anew";
    EXPECT_FALSE(tx->stopped());
    EXPECT_FALSE(rx->stopped());
    sends += (dead & kRecoverSend) != 0 ? 1 : 0;
    receives += (dead & kRecoverReceive) != 0 ? 1 : 0;
    ASSERT_TRUE(wait_until([&] { return phase() == BlockPhase::kReceiving; }));
    send_frames(8);  // which go round until the next one dies
  }
  EXPECT_GE(sends, 2U);
  EXPECT_GE(receives, 2U);
  run.stop();
  EXPECT_GE(counters.rx_packets, 200U);
  EXPECT_EQ(counters.rx_errors, 0U) << "no CQE said that a packet was lost";
  EXPECT_EQ(counters.rx_packets + counters.tx_generated,
            counters.tx_completed + counters.tx_errors + tx->in_flight());
  EXPECT_EQ(counters.dropped[static_cast<unsigned>(DropCause::kTxQueueDown)], counters.tx_errors);
  EXPECT_GE(counters.tx_errors, 1U) << "what no completion told of";
}

TEST_P(Overrun, that_nobody_recovers_ends_the_kernel_by_name) {
  StreamArgs args = recovering(kOwnBuffers);
  recovery.emplace(
      mlx5::QueueRecovery::Parties{
          .request = &status.recovery, .answer = &control.recovery, .rx = &*rx, .tx = &*tx},
      mlx5::RecoveryPolicy{.limit = 0});
  KernelRun run("io", args, GetParam());
  recovery->tell_overrun(await_overrun());
  ASSERT_TRUE(await(Event::kGivenUp));
  ASSERT_TRUE(wait_until([&] { return phase() == BlockPhase::kFailed; }));
  run.join();
  EXPECT_EQ(status.error_syndrome, 0U);
  EXPECT_NE(recovery->error().find("its completion queue has overrun"), std::string::npos);
}

/// A kernel of its own, which looks at what the CPU says of queues that do not answer.
TEST_P(Overrun, of_a_users_kernels_queues_is_recovered_too) {
  StreamArgs args = recovering(0);
  ReceivesItsOwn::Aim aim{kOwnBuffers, 150};  // more than one queue can send or receive
  args.program.own = &aim;
  KernelRun kernel(OwnProgram<ReceivesItsOwn>(), args, GetParam());
  std::uint32_t recovered = 0;
  while (recovered != (kRecoverSend | kRecoverReceive)) {
    const std::uint32_t dead = await_overrun();
    recovery->tell_overrun(dead);
    ASSERT_TRUE(await(Event::kReady));
    recovered |= dead;
  }
  EXPECT_TRUE(wait_until([&] {
    // Both die again, every 100 packets.
    recovery->tell_overrun((tx->completions_overrun() ? kRecoverSend : 0) |
                           (rx->completions_overrun() ? kRecoverReceive : 0));
    recovery->step(monotonic_ns());
    return phase() == BlockPhase::kFinished;
  }));
  kernel.join();
}

/// Two kernels of their own, which share a send queue until both have sent enough.
TEST_P(Overrun, of_a_send_queue_that_several_share_is_recovered_by_all_of_them) {
  constexpr std::uint32_t kUsers = 2;
  constexpr std::uint32_t kBatches = 20;  // of both, more than one queue can send
  const StreamArgs args = recovering(0);
  const RecoveryWords words{&status.recovery, &control.recovery};
  TxSharedState shared{};
  std::vector<std::uint64_t> batch_end(kDepth);
  const SharedTxQueueHandle handle{tx->handle(), &shared, batch_end.data()};
  std::uint32_t stops[kUsers]{};
  std::atomic<std::uint32_t> running{kUsers};
  const auto over = [&] { return running == 0; };
  const auto use = [&](HostBlock& block, std::uint32_t user) {
    SendQueue<Sharing::kGpu> queue(handle);
    const auto packet = [&](std::uint32_t i) { return TxPacket{args.tx_buffers.iova[i], 64}; };
    std::uint32_t batches = 0;
    while (!block.broadcast(over())) {
      const TxBatch batch = queue.send(block, kOwnBuffers, packet, kSecond / 10);
      if (batch.status == TxStatus::kOk &&
          queue.poll_at(block, batch.ticket(), kSecond / 10) == TxStatus::kOk) {
        ++batches;
        if (block.rank() == 0 && batches == kBatches) --running;
      } else if (block.broadcast(silent_stops(words)) != 0) {
        if (!recover_together(block, words, kUsers, over, queue)) return;
        if (block.rank() == 0) ++stops[user];
      }
    }
  };
  std::vector<std::jthread> users;
  for (std::uint32_t user = 0; user < kUsers; ++user) {
    users.emplace_back(
        [&, user] { run_block(GetParam(), [&](HostBlock& block) { use(block, user); }); });
  }
  EXPECT_TRUE(wait_until([&] {
    if (tx->completions_overrun()) recovery->tell_overrun(kRecoverSend);
    recovery->step(monotonic_ns());
    return over();
  })) << running
      << " have not sent what one queue could not";
  running = 0;
  users.clear();
  EXPECT_GE(stops[0], 1U);
  EXPECT_GE(stops[1], 1U);
}

}  // namespace
}  // namespace ringside::test
