// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What counted queues tell the CPU, compared with what the NIC has seen.
#include "lib/device/counted.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

#include "tests/unit/fake_nic.hpp"
#include "tests/unit/kernel_run.hpp"
#include "tests/unit/send_rig.hpp"

namespace ringside::test {
namespace {

/// Of a queue that a rig's scopes send by.
template <class Queue>
inline constexpr Sharing kSharingOf = Sharing::kExclusive;
template <template <Sharing> class Queue, Sharing kSharing>
inline constexpr Sharing kSharingOf<Queue<kSharing>> = kSharing;
template <Sharing kSharing>
inline constexpr Sharing kSharingOf<SharedTxQueue<kSharing>> = kSharing;

std::uint64_t errors(const QueueCounters& counters, QueueErrorCause cause) {
  return counters.errors[static_cast<std::uint32_t>(cause)];
}

class DeviceCounted : public BlockSizes {};
INSTANTIATE_TEST_SUITE_P(threads, DeviceCounted, testing::Values(1U, 32U, 256U),
                         [](const auto& size) { return std::to_string(size.param); });

TEST_P(DeviceCounted, received_packets_bytes_and_errors_by_cause_are_those_of_the_nic) {
  FakeNic nic({.packets_are_sent = false});
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < 9; ++i) {
    nic.receive(std::vector<std::uint8_t>(60 + i));
    bytes += 60 + i;
    if (i % 3 == 0) nic.receive_error(0x01);
  }
  QueueCounters published{.packets = 1000};  // by a kernel before
  QueueTally tally;
  run_block(GetParam(), [&](auto& block) {
    if (block.rank() == 0) tally.begin(&published);
    block.sync();
    CountedReceiveQueue queue(nic.stream().rx, tally);
    for (std::uint32_t left = 12; left > 0;) {
      const RxBatch batch = queue.receive(block, {.least = 1, .most = 5, .timeout_ns = kEver});
      ASSERT_NE(batch.count, 0U);
      for (std::uint32_t i = block.rank(); i < batch.count; i += block.size()) {
        queue.queue().release(queue.queue().slot(batch, i));
      }
      block.sync();
      queue.give_back(block);
      left -= batch.count;
    }
    if (block.rank() == 0) {
      EXPECT_EQ(read_counters(published).packets, 1000U) << "nothing was published yet";
      queue.publish();
    }
  });
  EXPECT_EQ(published.packets, 1009U);
  EXPECT_EQ(published.bytes, bytes);
  EXPECT_EQ(published.batches, 3U);
  EXPECT_EQ(published.doorbells, 3U);
  EXPECT_EQ(errors(published, QueueErrorCause::kLength), 3U);
  EXPECT_EQ(errors(published, QueueErrorCause::kOther), 0U);
  EXPECT_EQ(nic.released(), 12U);
}

TEST_P(DeviceCounted, the_error_that_stops_a_receive_queue_is_counted_once) {
  FakeNic nic({});
  nic.receive_error(0x04);
  QueueCounters published{};
  QueueTally tally;
  run_block(GetParam(), [&](auto& block) {
    if (block.rank() == 0) tally.begin(&published);
    block.sync();
    CountedReceiveQueue queue(nic.stream().rx, tally);
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(queue.receive(block, {.least = 1, .most = 5, .timeout_ns = 0}).stopped);
    }
    if (block.rank() == 0) queue.publish();
  });
  EXPECT_EQ(errors(published, QueueErrorCause::kProtection), 1U);
  EXPECT_EQ(published.batches, 0U);
}

/// Senders of each kind, whose blocks have a tally each.
class DeviceCountedSend : public SendTest {
 protected:
  template <Sharing kSharing, class S>
  static void send(S& scope, SendRig& rig, QueueTally& tally, std::uint32_t batches) {
    CountedSendQueue<kSharing> queue(rig.handle<kSharing>(), tally);
    for (std::uint32_t i = 0; i < batches; ++i) {
      const auto packet_of = [&](std::uint32_t j) { return TxPacket{rig.buffer(j), 60 + j}; };
      const TxBatch batch = queue.send(scope, kCount, packet_of, kEver);
      ASSERT_EQ(batch.status, TxStatus::kOk);
    }
    EXPECT_EQ(queue.queue().poll_last(scope, kEver), TxStatus::kOk);
    // Scopes of one tally take turns.
    static std::mutex turn;
    const std::lock_guard lock(turn);
    if (scope.rank() == 0) queue.publish();
  }

  static constexpr std::uint32_t kCount = 3;
};
INSTANTIATE_TEST_SUITE_P(senders, DeviceCountedSend,
                         testing::Values(Senders{Sharing::kExclusive, ScopeKind::kThread, 1},
                                         Senders{Sharing::kExclusive, ScopeKind::kBlock, 1},
                                         Senders{Sharing::kExclusive, ScopeKind::kBlock, 32},
                                         Senders{Sharing::kExclusive, ScopeKind::kBlock, 256},
                                         Senders{Sharing::kBlock, ScopeKind::kThread, 32},
                                         Senders{Sharing::kBlock, ScopeKind::kWarp, 256},
                                         Senders{Sharing::kGpu, ScopeKind::kThread, 32, 2},
                                         Senders{Sharing::kGpu, ScopeKind::kBlock, 32, 4},
                                         Senders{Sharing::kGpu, ScopeKind::kBlock, 256, 2}),
                         name_of_senders);

TEST_P(DeviceCountedSend,
       sent_packets_and_bytes_are_those_of_the_nic_while_it_runs_and_at_the_end) {
  const std::uint32_t scopes_a_block = GetParam().scopes() / GetParam().blocks;
  if (scopes_a_block > 1 && !kQueuesShareTallies) GTEST_SKIP();
  constexpr std::uint32_t kBatches = 40;
  SendRig rig({.log_tx = 5, .log_tx_cq = 5, .batches_ask = false});
  std::deque<QueueCounters> published(GetParam().blocks);
  std::deque<QueueTally> tallies(GetParam().blocks);
  for (std::uint32_t i = 0; i < GetParam().blocks; ++i) tallies[i].begin(&published[i]);
  const auto total = [&] {
    QueueCounters sum{};
    for (const QueueCounters& one : published) sum = sum + read_counters(one);
    return sum;
  };
  std::atomic<bool> over{false};
  std::jthread reader([&] {
    QueueCounters before{};
    while (!over) {
      const QueueCounters now = total();
      EXPECT_GE(now.packets, before.packets);
      EXPECT_GE(now.bytes, before.bytes);
      EXPECT_GE(now.completed, before.completed);
      EXPECT_EQ(now.packets % kCount, 0U);
      before = now;
      sched_yield();
    }
  });
  run_scopes(rig, GetParam(), true, [&](std::uint32_t number, auto& scope, auto& queue) {
    constexpr Sharing kSharing = kSharingOf<std::remove_reference_t<decltype(queue)>>;
    send<kSharing>(scope, rig, tallies[number / scopes_a_block], kBatches);
  });
  over = true;
  reader.join();
  const QueueCounters end = total();
  const std::uint64_t batches = std::uint64_t{kBatches} * GetParam().scopes();
  EXPECT_EQ(end.packets, rig.nic.sent().size());
  EXPECT_EQ(end.packets, batches * kCount);
  EXPECT_EQ(end.bytes, batches * (60 + 61 + 62));
  EXPECT_EQ(end.batches, batches);
  EXPECT_EQ(end.completed, batches * kCount);
  EXPECT_GE(end.doorbells, rig.nic.doorbells());  // the NIC sees the last of several
  EXPECT_LE(end.doorbells, batches);
  for (const std::uint64_t count : end.errors) EXPECT_EQ(count, 0U);
}

TEST_P(DeviceCountedSend, a_full_ring_is_counted_whether_it_waits_or_not) {
  SendRig rig({.log_tx = 2, .log_tx_cq = 2});
  QueueCounters published{};
  QueueTally tally;
  tally.begin(&published);
  run_scope(rig, GetParam(), [&](auto& scope, auto& queue) {
    constexpr Sharing kSharing = kSharingOf<std::remove_reference_t<decltype(queue)>>;
    CountedSendQueue<kSharing> counted(rig.handle<kSharing>(), tally);
    const auto packet_of = [&](std::uint32_t i) { return TxPacket{rig.buffer(i), 60}; };
    EXPECT_EQ(counted.send(scope, 4, packet_of, 0).status, TxStatus::kOk);
    EXPECT_EQ(counted.send(scope, 1, packet_of, 0).status, TxStatus::kFull);
    EXPECT_EQ(counted.send(scope, 1, packet_of, 1000).status, TxStatus::kFull);
    if (scope.rank() == 0) counted.publish();
  });
  EXPECT_EQ(published.ring_full, 2U);
  EXPECT_EQ(published.packets, 4U);
}

TEST_P(DeviceCountedSend, steps_count_as_a_send_does_and_an_error_once_by_its_cause) {
  SendRig rig({});
  QueueCounters published{};
  QueueTally tally;
  tally.begin(&published);
  std::atomic<bool> sent{false};
  std::jthread scope_runs([&] {
    run_scope(rig, GetParam(), [&](auto& scope, auto& queue) {
      constexpr Sharing kSharing = kSharingOf<std::remove_reference_t<decltype(queue)>>;
      CountedSendQueue<kSharing> counted(rig.handle<kSharing>(), tally);
      const TxBatch batch = counted.reserve(scope, 5, 0);
      for (std::uint32_t i = scope.rank(); i < batch.count; i += scope.size()) {
        counted.write(batch, i, {rig.buffer(i), 70});
      }
      counted.commit(scope, batch);
      sent = true;
      EXPECT_EQ(counted.queue().poll_at(scope, batch.ticket(), kEver), TxStatus::kStopped);
      if (scope.rank() == 0) {
        counted.publish();
        counted.publish();
      }
    });
  });
  ASSERT_TRUE(step_until([&] { return rig.nic.read_sends() != 0; }, [] {}));
  rig.nic.fail_send(0x02);
  scope_runs.join();
  EXPECT_EQ(published.packets, 5U);
  EXPECT_EQ(published.bytes, 350U);
  EXPECT_EQ(published.batches, 1U);
  EXPECT_EQ(published.doorbells, 1U);
  EXPECT_EQ(errors(published, QueueErrorCause::kOperation), 1U);
}

TEST(DeviceCountedContent, bytes_are_those_on_the_wire_whatever_a_packet_is_made_of) {
  const std::uint8_t bytes[64] = {};
  EXPECT_EQ(wire_bytes(TxPacket{0, 60}), 60U);
  EXPECT_EQ(wire_bytes(TxGather<3>{}.add({1, 14, 0}).add({2, 100, 0})), 114U);
  EXPECT_EQ(wire_bytes(TxInline<64>{bytes, 42}), 42U);
  EXPECT_EQ(wire_bytes(TxInlineHeader<18>{bytes, {1, 100, 0}}), 118U);
  EXPECT_EQ(wire_bytes(TxGrouped<>{{1, 77, 0}}), 77U);
  EXPECT_EQ(wire_bytes(TxGroupedInline<64>{bytes, 33}), 33U);
  EXPECT_EQ((wire_bytes(TxAt<TxInlineHeader<18>>{5, {bytes, {1, 10, 0}}})), 28U);
}

}  // namespace
}  // namespace ringside::test
