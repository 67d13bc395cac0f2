// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Kernels on a striding receive queue of the software NIC: what they count, send and give back.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "lib/mlx5/queue_recovery.hpp"
#include "striding_rig.hpp"

namespace ringside::test {
namespace {

[[maybe_unused]] const auto* const kLoopPort = testing::AddGlobalTestEnvironment(new LoopPort);

/// The kernel of `ringside testpmd`.
class StridedKernel : public Striding {
 protected:
  StreamArgs stream() {
    const StridingQueueHandle handle = rx->handle();
    return StreamArgs{.rx = handle.completions,
                      .tx = forwards.handle(),
                      .counters = &counters,
                      .control = &control,
                      .status = &status,
                      .burst = 32,
                      .drain_ns = 500'000'000,
                      .recovers = true,
                      .strides = handle.buffers};
  }
  bool await_packets(std::uint64_t packets) {
    return wait_until([&] { return std::atomic_ref(counters.rx_packets).load() >= packets; });
  }
  BlockPhase phase() { return std::atomic_ref(status.phase).load(std::memory_order_acquire); }

  mlx5::TxQueue forwards{domain, arenas, kLogSends, key.lkey()};  // what the kernel sends
  StreamCounters counters{};
  StreamControl control{};
  StreamStatus status{};
};
INSTANTIATE_TEST_SUITE_P(threads, StridedKernel, testing::Values(1U, 32U, 256U),
                         [](const auto& size) { return std::to_string(size.param); });

TEST_P(StridedKernel, counts_all_that_comes_and_gives_all_buffers_back) {
  open(kSmall);
  std::uint64_t packets = 0;
  for (int kernel = 0; kernel < 2; ++kernel) {
    control = {};
    KernelRun run("strided_rxonly", stream(), GetParam());
    for (int round = 0; round < 30; ++round) {
      send({60, 200, 513, 512, 100});  // one is longer than a buffer
      packets += 4;
      ASSERT_TRUE(await_packets(packets));
    }
    run.stop();
    EXPECT_EQ(phase(), BlockPhase::kFinished);
  }
  EXPECT_EQ(counters.rx_packets, packets);
  EXPECT_EQ(counters.consumed, packets);
  EXPECT_EQ(counters.rx_bytes, packets / 4 * (60 + 200 + 512 + 100));
  EXPECT_EQ(counters.rx_errors, packets / 4);
  EXPECT_EQ(counter.out_of_buffer(), 0U);
}

TEST_P(StridedKernel, frames_go_round_past_the_end_of_every_ring_and_stay_as_they_were) {
  open(kLarge);
  const std::vector<std::uint32_t> lengths = {60, 126, 127, 254, 255, 700, 1000, 1001, kLongest};
  send(lengths);
  for (int kernel = 1; kernel <= 2; ++kernel) {
    control = {};
    KernelRun run("strided_io", stream(), GetParam());
    ASSERT_TRUE(await_packets(kernel * std::uint64_t{150}));
    run.stop();
    EXPECT_EQ(phase(), BlockPhase::kFinished);
    EXPECT_EQ(counters.tx_completed, counters.rx_packets);
    EXPECT_EQ(counters.tx_bytes, counters.rx_bytes);
  }
  EXPECT_EQ(counters.rx_errors, 0U);
  EXPECT_EQ(counter.out_of_buffer(), 0U);
  run_alone([&](auto& scope) {
    StridingReceiveQueue queue(rx->handle());
    EXPECT_EQ(queue.kept(), 0U);
    std::vector<std::vector<std::uint8_t>> there;
    while (there.size() < lengths.size()) {
      const RxBatch batch = queue.receive(scope, {1, 32, kEver});
      ASSERT_GT(batch.count, 0U);
      for (std::uint32_t i = 0; i < batch.count; ++i) {
        if (queue.is_filler(batch, i)) continue;
        const Packet packet = queue.packet(batch, i);
        there.emplace_back(packet.data(), packet.data() + packet.length());
      }
      release_all(scope, queue, batch);
      queue.give_back(scope);
    }
    // They began their way one after the other, and whoever overtakes one breaks the circle.
    const auto shortest = std::ranges::min_element(there, {}, &std::vector<std::uint8_t>::size);
    std::rotate(there.begin(), shortest, there.end());
    for (std::uint32_t i = 0; i < lengths.size(); ++i) EXPECT_EQ(there[i], frame(i, lengths[i]));
  });
}

TEST_P(StridedKernel, goes_on_when_its_queue_was_recovered_and_ends_when_it_cannot_be) {
  using Event = mlx5::QueueRecovery::Event;
  open(kSmall);
  LoopPort::expect_broken("receive.record-beyond-ring");
  const auto spoil = [&] {
    __atomic_store_n(&rx->handle().completions.record->receive_counter.raw, Be32::of(104).raw,
                     __ATOMIC_RELEASE);
    send({60});
  };
  mlx5::QueueRecovery recovery(
      {.request = &status.recovery, .answer = &control.recovery, .rx = &*rx, .tx = nullptr},
      {.limit = 1, .pause_ns = 1'000'000});
  const auto await = [&](Event event) {
    return wait_until([&] { return recovery.step(monotonic_ns()) == event; });
  };
  KernelRun run("strided_rxonly", stream(), GetParam());
  spoil();
  ASSERT_TRUE(await(Event::kReady));
  ASSERT_TRUE(wait_until([&] { return phase() == BlockPhase::kReceiving; }));
  send({60, 512, 60});
  ASSERT_TRUE(await_packets(3));
  spoil();
  ASSERT_TRUE(await(Event::kGivenUp));
  ASSERT_TRUE(wait_until([&] { return phase() == BlockPhase::kFailed; }));
  EXPECT_EQ(counters.rx_packets, 3U);
  EXPECT_EQ(counters.rx_errors, 2U) << "the packets that stopped it";
  EXPECT_EQ(status.error_on_send, 0U);
  EXPECT_EQ(status.error_syndrome, 2U);
}

TEST_P(StridedKernel, goes_on_when_its_completion_queue_has_overrun) {
  using Event = mlx5::QueueRecovery::Event;
  open(kSmall);
  LoopPort::expect_broken("cq.consumer-ahead");
  const auto renew_rx = [&] {
    const auto former = rx->renew(mlx5::EmptiedBy::kKernel);
    traffic.emplace(context, rx->number(), transport_domain.number());
  };
  mlx5::QueueRecovery recovery({.request = &status.recovery,
                                .answer = &control.recovery,
                                .rx = &*rx,
                                .tx = nullptr,
                                .renew_rx = renew_rx},
                               {.limit = 5, .pause_ns = 1'000'000});
  KernelRun run("strided_rxonly", stream(), GetParam());
  ASSERT_TRUE(wait_until([&] { return phase() == BlockPhase::kReceiving; }));
  for (std::uint64_t turn = 1; turn <= 2; ++turn) {
    // A record by which more CQEs were taken than there are: the next one finds no room.
    __atomic_store_n(&rx->handle().completions.cq_record->consumer_index.raw, Be32::of(16).raw,
                     __ATOMIC_RELEASE);
    send({60});
    ASSERT_TRUE(wait_until([&] { return rx->completions_overrun(); }));
    recovery.tell_overrun(kRecoverReceive);
    ASSERT_TRUE(wait_until([&] { return recovery.step(monotonic_ns()) == Event::kReady; }));
    EXPECT_FALSE(rx->completions_overrun());
    ASSERT_TRUE(wait_until([&] { return phase() == BlockPhase::kReceiving; })) << "refilled";
    sent = 0;
    send({60, 512, 60});
    EXPECT_TRUE(await_packets(3 * turn));
  }
  run.stop();
  EXPECT_EQ(phase(), BlockPhase::kFinished);
  EXPECT_EQ(counters.rx_packets, 6U);
  EXPECT_EQ(counters.rx_errors, 0U);
}

}  // namespace
}  // namespace ringside::test
