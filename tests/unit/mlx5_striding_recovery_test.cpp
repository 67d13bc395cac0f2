// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Striding receive queues that an error stops, or whose completion queue overran, and their way
// back.
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "lib/device/recovery.hpp"
#include "lib/mlx5/queue_recovery.hpp"
#include "striding_rig.hpp"

namespace ringside::test {
namespace {

[[maybe_unused]] const auto* const kLoopPort = testing::AddGlobalTestEnvironment(new LoopPort);

INSTANTIATE_TEST_SUITE_P(threads, Striding, testing::Values(0U, 1U, 32U, 256U),
                         [](const auto& size) {
                           return size.param == 0 ? "alone" : std::to_string(size.param);
                         });

TEST_P(Striding, an_error_that_stops_the_queue_is_named_and_the_host_recovers_it) {
  open(kSmall);
  send({60, 60});
  LoopPort::expect_broken("receive.record-beyond-ring");
  __atomic_store_n(&rx->handle().completions.record->receive_counter.raw, Be32::of(104).raw,
                   __ATOMIC_RELEASE);
  send({60});
  run([&](auto& scope) {
    StridingReceiveQueue queue(rx->handle());
    const RxBatch batch = queue.receive(scope, {3, 8, kEver});
    EXPECT_EQ(batch.count, 2U);
    EXPECT_TRUE(batch.stopped);
    EXPECT_EQ(queue.stop_error(batch).syndrome, 0x02);
  });
  EXPECT_TRUE(rx->stopped());
  rx->recover();
  EXPECT_FALSE(rx->stopped());
  sent = 0;
  send({60, 512, 60});
  run([&](auto& scope) {
    StridingReceiveQueue queue(rx->handle());
    const RxBatch batch = queue.receive(scope, {4, 8, kEver});
    ASSERT_EQ(batch.count, 4U);
    EXPECT_TRUE(queue.is_filler(batch, 1));
    if (scope.rank() == 0) {
      expect_frame(scope, queue, batch, 2, 1, 512);
      EXPECT_EQ(queue.packet(batch, 2).iova(), iova[1]) << "from the first buffer on";
    }
    release_all(scope, queue, batch);
    queue.give_back(scope);
    scope.sync();
    if (scope.rank() == 0) {
      EXPECT_EQ(posted(), 4U + 2U);
    }
  });
}

/// The kernel goes on, with the packets of before released and given back.
TEST_P(Striding, a_queue_goes_on_while_its_kernel_runs) {
  using Event = mlx5::QueueRecovery::Event;
  open(kSmall);
  RecoveryRequest request{};
  RecoveryAnswer answer{};
  const RecoveryWords words{&request, &answer};
  std::uint32_t turns = 0;
  std::jthread cpu([&] {
    mlx5::QueueRecovery recovery(
        {.request = &request, .answer = &answer, .rx = &*rx, .tx = nullptr},
        {.limit = 5, .pause_ns = 1'000'000});
    EXPECT_TRUE(wait_until([&] {
      if (recovery.step(monotonic_ns()) == Event::kReady) ++turns;
      return turns == 2;
    }));
  });
  run([&](auto& scope) {
    StridingReceiveQueue queue(rx->handle());
    for (int turn = 0; turn < 2; ++turn) {
      if (scope.rank() == 0) {
        sent = 0;
        send({60, 200});
        LoopPort::expect_broken("receive.record-beyond-ring");
        __atomic_store_n(&rx->handle().completions.record->receive_counter.raw, Be32::of(104).raw,
                         __ATOMIC_RELEASE);
        send({60});
      }
      scope.sync();
      const RxBatch batch = queue.receive(scope, {3, 8, kEver});
      ASSERT_EQ(batch.count, 2U);
      ASSERT_TRUE(batch.stopped);
      release_all(scope, queue, batch);
      queue.give_back(scope);
      const QueueStop stop{kRecoverReceive, queue.stop_error(batch)};
      ASSERT_TRUE(recover(
          scope, words, stop, [] { return false; }, queue));
      EXPECT_EQ(queue.kept(), 0U);
      if (scope.rank() == 0) {
        EXPECT_EQ(posted(), 4U);
        sent = 0;
        send({60, 512, 60});
      }
      scope.sync();
      const RxBatch next = queue.receive(scope, {4, 8, kEver});
      ASSERT_EQ(next.count, 4U);
      EXPECT_TRUE(queue.is_filler(next, 1));
      if (scope.rank() == 0) {
        expect_frame(scope, queue, next, 2, 1, 512);
        EXPECT_EQ(queue.packet(next, 2).iova(), iova[1]) << "from the first buffer on";
      }
      release_all(scope, queue, next);
      queue.give_back(scope);
      scope.sync();
      if (scope.rank() == 0) {
        EXPECT_EQ(posted(), 4U + 2U);
      }
      scope.sync();
    }
  });
  cpu.join();
  EXPECT_FALSE(rx->stopped());
  EXPECT_EQ(counter.out_of_buffer(), 0U);
}

TEST_P(Striding, a_queue_whose_completion_queue_overran_is_made_anew) {
  open(kSmall);
  LoopPort::expect_broken("cq.consumer-ahead");
  __atomic_store_n(&rx->handle().completions.cq_record->consumer_index.raw, Be32::of(16).raw,
                   __ATOMIC_RELEASE);
  send({60});
  ASSERT_TRUE(wait_until([&] { return rx->completions_overrun(); }));
  {
    const mlx5::ReceiveRing::Former former = rx->renew();
    traffic.emplace(context, rx->number(), transport_domain.number());
  }
  EXPECT_FALSE(rx->completions_overrun());
  sent = 0;
  send({60, 512});
  run([&](auto& scope) {
    StridingReceiveQueue queue(rx->handle());
    const RxBatch batch = queue.receive(scope, {3, 8, kEver});
    ASSERT_EQ(batch.count, 3U);
    if (scope.rank() == 0) expect_frame(scope, queue, batch, 2, 1, 512);
  });
}

}  // namespace
}  // namespace ringside::test
