// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The trace of a stream whose queues stop and are recovered, on the software NIC: a recovered queue
// counts its packets from 0 again.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "kernels/traced.hpp"
#include "lib/base/clock.hpp"
#include "lib/device/send_queue.hpp"
#include "lib/mlx5/queue_recovery.hpp"
#include "lib/runtime/latency.hpp"
#include "lib/runtime/trace_reader.hpp"
#include "tests/unit/queue_pair.hpp"

namespace ringside::test {
namespace {

constexpr std::uint64_t kSendError = 300, kReceiveError = 700;  // packets of a queue before it
[[maybe_unused]] const auto* const kLoopPort = testing::AddGlobalTestEnvironment(
    new LoopPort(R"("faults": ["tx-error:packet=300", "rx-error:packet=700"], )"));

using Event = mlx5::QueueRecovery::Event;
constexpr std::uint32_t kLogEvents = 20;  // packets go round while the test is not looking

/// How many threads the block has.
class TracedRecovery : public QueuePair, public testing::WithParamInterface<std::uint32_t> {
 protected:
  StreamArgs traced() {
    trace = {.served = {served.data(), kLogEvents, &laps[0]},
             .tended = {tended.data(), kLogEvents, &laps[1]},
             .clock = &clock,
             .program = Traced::number_of("io")};
    StreamArgs args = stream(kOwnBuffers);
    args.recovers = true;
    args.program.own = &trace;
    recovery.emplace(
        mlx5::QueueRecovery::Parties{
            .request = &status.recovery, .answer = &control.recovery, .rx = &*rx, .tx = &*tx},
        mlx5::RecoveryPolicy{.limit = 3, .pause_ns = 1'000'000});
    return args;
  }
  bool await(Event event) {
    return wait_until([&] { return recovery->step(monotonic_ns()) == event; });
  }
  /// From a queue that no kernel has.
  void send_frames(std::uint32_t count) {
    mlx5::TxQueue other(domain, arenas, kLogDepth, key.lkey());
    SendQueue<Sharing::kExclusive> queue(other.handle());
    ThreadScope thread;
    const auto packet = [&](std::uint32_t) { return TxPacket{iova[kDepth], 64}; };
    const TxBatch batch = queue.send(thread, count, packet, 1'000'000'000);
    ASSERT_EQ(queue.poll_at(thread, batch.ticket(), 1'000'000'000), TxStatus::kOk);
  }

  static std::vector<TraceEvent> events(const TraceRing& ring) {
    std::vector<TraceEvent> found;
    TraceReader reader(ring);
    reader.read(found);
    EXPECT_EQ(reader.lost(), 0U) << "the test takes longer than its ring";
    return found;
  }
  static const TraceEvent* find(const std::vector<TraceEvent>& events, TraceKind kind) {
    const auto found = std::ranges::find(events, kind, &TraceEvent::kind);
    return found == events.end() ? nullptr : &*found;
  }
  /// Each batch has the completion of its own sends: the next one that there was.
  void expect_batches() {
    const auto same = [](std::uint64_t reading) { return reading; };
    const std::vector<BatchTimes> batches =
        batches_of(events(trace.served), events(trace.tended), {same, same, same});
    constexpr auto kRung = static_cast<std::size_t>(TraceKind::kRung);
    constexpr auto kCompleted = static_cast<std::size_t>(TraceKind::kCompleted);
    std::set<std::uint64_t> first;
    std::uint64_t sent = 0, before = 0;
    for (const BatchTimes& batch : batches) {
      EXPECT_TRUE(first.insert(batch.first).second) << batch.first << " is two batches'";
      EXPECT_LE(batch.at_ns[kRung], batch.at_ns[kCompleted]);
      EXPECT_LE(before, batch.at_ns[kCompleted]) << "completions come in the order of batches";
      before = batch.at_ns[kCompleted];
      sent += batch.sent;
    }
    // All that were sent, but for the kernel's own frames, of which no batch is, and what was sent
    // of the batch that the error has cut.
    constexpr std::uint32_t kBurst = 16;  // stream()'s
    EXPECT_LE(sent, counters.tx_completed);
    EXPECT_GE(sent + kOwnBuffers + kBurst, counters.tx_completed);
  }

  std::vector<TraceRecord> served{std::size_t{1} << kLogEvents};
  std::vector<TraceRecord> tended{std::size_t{1} << kLogEvents};
  std::uint64_t laps[2]{};
  ClockMailbox clock{};
  StreamTrace trace{};
  std::optional<mlx5::QueueRecovery> recovery;
};
INSTANTIATE_TEST_SUITE_P(threads, TracedRecovery, testing::Values(1U, 32U),
                         [](const auto& size) { return std::to_string(size.param); });

TEST_P(TracedRecovery, queues_that_begin_again_count_on_and_each_batch_has_its_own_completion) {
  {
    KernelRun run("traced", traced(), GetParam());
    for (int stop = 0; stop < 2; ++stop) {
      ASSERT_TRUE(await(Event::kStopped));
      ASSERT_TRUE(await(Event::kReady));
      ASSERT_TRUE(wait_until([&] { return phase() == BlockPhase::kReceiving; }));
      send_frames(2);
    }
    const std::uint64_t before = read(counters.rx_packets);
    ASSERT_TRUE(wait_until([&] { return read(counters.rx_packets) >= before + 2 * kReceiveError; }))
        << "numbers of both queues come again";
  }
  expect_batches();
  const std::vector<TraceEvent> receives = events(trace.served), sends = events(trace.tended);
  const TraceEvent* const send_error = find(sends, TraceKind::kStopped);
  const TraceEvent* const sends_again = find(sends, TraceKind::kRecovered);
  ASSERT_TRUE(send_error != nullptr && sends_again != nullptr);
  EXPECT_EQ(send_error->count, static_cast<std::uint32_t>(CqeSyndrome::kLocalProtection));
  EXPECT_EQ(send_error->index, kSendError) << "the ticket that it is behind";
  EXPECT_GT(sends_again->count, 0U) << "that were lost";
  EXPECT_EQ(sends_again->index, kSendError + sends_again->count);
  EXPECT_LE(send_error->clock, sends_again->clock);
  const TraceEvent* const receive_error = find(receives, TraceKind::kStopped);
  const TraceEvent* const receives_again = find(receives, TraceKind::kRecovered);
  ASSERT_TRUE(receive_error != nullptr && receives_again != nullptr);
  EXPECT_EQ(receive_error->count, static_cast<std::uint32_t>(CqeSyndrome::kLocalProtection));
  EXPECT_GE(receives_again->index, kReceiveError);
  EXPECT_LE(receive_error->clock, receives_again->clock);
  EXPECT_EQ(receive_error->queue, rx->number());
  EXPECT_EQ(send_error->queue, tx->number());
}

}  // namespace
}  // namespace ringside::test
