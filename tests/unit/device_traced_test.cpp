// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The forwarding loop of a traced program, against the fake NIC.
#include "lib/device/traced.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/traced.hpp"
#include "lib/base/clock.hpp"
#include "lib/mlx5/clock_sample.hpp"
#include "lib/runtime/trace_reader.hpp"
#include "tests/unit/fake_nic.hpp"
#include "tests/unit/kernel_run.hpp"

namespace ringside::test {
namespace {

constexpr std::uint32_t kLogEvents = 10;

class DeviceTraced : public testing::TestWithParam<std::uint32_t> {
 protected:
  explicit DeviceTraced(bool sends = true)
      : nic_(config(sends)), served_(1U << kLogEvents), tended_(1U << kLogEvents) {
    trace_ = {{served_.data(), kLogEvents, &laps_[0]},
              {tended_.data(), kLogEvents, &laps_[1]},
              &clock_,
              Traced::number_of("io")};
    nic_.stream().program.own = &trace_;
  }

  void receive(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      nic_.receive(std::vector<std::uint8_t>(60, 1), {.timestamp = 1000 + received_++});
    }
  }
  void serve() {
    nic_.read_sends();
    nic_.complete_sends();
  }
  static std::vector<TraceEvent> events(const TraceRing& ring) {
    std::vector<TraceEvent> found;
    TraceReader reader(ring);
    reader.read(found);
    EXPECT_EQ(reader.lost(), 0U);
    return found;
  }

  static FakeNic::Config config(bool sends) {
    return {.log_rx = 5,
            .log_rx_cq = 5,
            .log_tx = 5,
            .log_tx_cq = 5,
            .rx_start = 7,
            .rx_cq_start = 7,
            .tx_start = 3,
            .tx_cq_start = 3,
            .packets_are_sent = sends};
  }

  FakeNic nic_;
  std::vector<TraceRecord> served_, tended_;
  std::uint64_t laps_[2]{};
  ClockMailbox clock_{};
  StreamTrace trace_{};
  std::uint64_t received_ = 0;
};
INSTANTIATE_TEST_SUITE_P(threads, DeviceTraced, testing::Values(1U, 32U, 256U),
                         [](const auto& size) { return std::to_string(size.param); });

class DeviceTracedReceiver : public DeviceTraced {
 protected:
  DeviceTracedReceiver() : DeviceTraced(false) {}
};
INSTANTIATE_TEST_SUITE_P(threads, DeviceTracedReceiver, testing::Values(1U, 32U, 256U),
                         [](const auto& size) { return std::to_string(size.param); });

TEST_P(DeviceTraced, each_batch_has_its_steps_in_order_and_all_packets_are_in_batches) {
  constexpr std::uint32_t kPackets = 300;
  {
    KernelRun kernel("traced", nic_.stream(), GetParam());
    const auto step = [&] {
      while (received_ < kPackets && nic_.can_receive()) receive(1);
      serve();
    };
    ASSERT_TRUE(step_until([&] { return nic_.sent().size() == kPackets; }, step));
  }
  const std::vector<TraceEvent> served = events(trace_.served);
  ASSERT_EQ(served.size() % 5, 0U);
  std::uint64_t first = 7;
  std::uint64_t ticket = 3;
  for (std::size_t i = 0; i < served.size(); i += 5) {
    const TraceEvent* const batch = &served[i];
    for (std::size_t step = 0; step < 5; ++step) {
      EXPECT_EQ(batch[step].kind, static_cast<TraceKind>(step));
      EXPECT_EQ(batch[step].count, batch[0].count);
      const std::uint64_t before = step < 2 ? 0 : batch[step - 1].clock;  // by the same clock
      EXPECT_GE(batch[step].clock, before);
    }
    EXPECT_EQ(batch[0].clock, 1000 + first - 7) << "of the batch's first packet";
    EXPECT_EQ(batch[1].index, first);
    first += batch[0].count;
    ticket += batch[0].count;
    EXPECT_EQ(batch[4].index, ticket);
    EXPECT_EQ(batch[0].queue, nic_.stream().rx.rqn);
    EXPECT_EQ(batch[4].queue, nic_.stream().tx.sqn);
  }
  EXPECT_EQ(first, 7U + kPackets);
  EXPECT_EQ(nic_.counters().batches, served.size() / 5);
}

TEST_P(DeviceTraced, each_completion_is_there_with_its_ticket_once_it_was_seen) {
  {
    KernelRun kernel("traced", nic_.stream(), GetParam());
    for (int round = 0; round < 20; ++round) {
      receive(3);
      ASSERT_TRUE(step_until([&] { return nic_.sent().size() == received_; }, [&] { serve(); }));
    }
  }
  const std::vector<TraceEvent> tended = events(trace_.tended);
  ASSERT_EQ(tended.size(), 2 * (nic_.tx_cq_consumed() - 3));
  std::uint64_t ticket = 3;
  for (std::size_t i = 0; i < tended.size(); i += 2) {
    EXPECT_EQ(tended[i].kind, TraceKind::kSent);
    EXPECT_EQ(tended[i + 1].kind, TraceKind::kCompleted);
    ticket += tended[i].count;
    EXPECT_EQ(tended[i].index, ticket);
    EXPECT_EQ(tended[i + 1].index, ticket);
  }
  EXPECT_EQ(ticket, 3U + 60U);
}

TEST_P(DeviceTraced, frames_of_its_own_are_batches_that_were_not_received) {
  trace_.program = Traced::number_of("txonly");
  nic_.stream().first_burst = kEndlessBurst;
  {
    KernelRun kernel("traced", nic_.stream(), GetParam());
    ASSERT_TRUE(step_until([&] { return nic_.sent().size() >= 100; }, [&] { serve(); }));
    kernel.request_stop();
    ASSERT_TRUE(
        step_until([&] { return nic_.phase() == BlockPhase::kFinished; }, [&] { serve(); }));
  }
  const std::vector<TraceEvent> served = events(trace_.served);
  ASSERT_EQ(served.size() % 2, 0U);
  std::uint64_t ticket = 3;
  for (std::size_t i = 0; i < served.size(); i += 2) {
    EXPECT_EQ(served[i].kind, TraceKind::kWritten);
    EXPECT_EQ(served[i + 1].kind, TraceKind::kRung);
    EXPECT_LE(served[i].clock, served[i + 1].clock);
    ticket += served[i].count;
    EXPECT_EQ(served[i].index, ticket);
  }
  EXPECT_EQ(ticket - 3, nic_.sent().size());
  EXPECT_EQ(nic_.counters().rx_packets, 0U);
}

TEST_P(DeviceTracedReceiver, batches_that_end_here_have_no_step_behind_the_program) {
  trace_.program = Traced::number_of("rxonly");
  {
    KernelRun kernel("traced", nic_.stream(), GetParam());
    for (std::uint32_t i = 0; i < 100; ++i) {
      ASSERT_TRUE(wait_until([&] { return nic_.can_receive(); }));
      receive(1);
    }
    ASSERT_TRUE(wait_until([&] { return nic_.counters().consumed == 100; }));
  }
  const std::vector<TraceEvent> served = events(trace_.served);
  ASSERT_EQ(served.size(), 3 * nic_.counters().batches);
  std::uint64_t packets = 0;
  for (std::size_t i = 0; i < served.size(); ++i) {
    EXPECT_EQ(served[i].kind, static_cast<TraceKind>(i % 3));
    if (i % 3 == 2) packets += served[i].count;
  }
  EXPECT_EQ(packets, 100U);
  EXPECT_TRUE(events(trace_.tended).empty());
}

TEST_P(DeviceTraced, the_error_that_stops_the_send_queue_is_the_last_event) {
  {
    KernelRun kernel("traced", nic_.stream(), GetParam());
    receive(2);
    ASSERT_TRUE(wait_until([&] { return nic_.read_sends() != 0; }));
    nic_.fail_send(0x04);
    ASSERT_TRUE(wait_until([&] { return nic_.phase() == BlockPhase::kFailed; }));
  }
  const std::vector<TraceEvent> tended = events(trace_.tended);
  ASSERT_FALSE(tended.empty());
  EXPECT_EQ(tended.back().kind, TraceKind::kStopped);
  EXPECT_EQ(tended.back().count, 0x04U);
}

TEST_P(DeviceTraced, a_kernel_that_waits_for_packets_tells_its_clock) {
  KernelRun kernel("traced", nic_.stream(), GetParam());
  ASSERT_TRUE(wait_until([&] { return nic_.phase() == BlockPhase::kReceiving; }));
  std::uint64_t last = 0;
  for (int i = 0; i < 3; ++i) {
    std::uint64_t before = 0, after = 0;
    std::optional<std::uint64_t> told;
    ASSERT_TRUE(wait_until([&] {
      before = monotonic_ns();
      told = mlx5::ask_clock(clock_);
      after = monotonic_ns();
      return told.has_value();
    }));
    EXPECT_GE(*told, last);
    last = *told;
    if (!kKernelsHaveHostClock) continue;
    EXPECT_LE(before, *told);
    EXPECT_GE(after, *told);
  }
}

TEST_P(DeviceTraced, a_full_ring_is_written_over_and_forwarding_goes_on) {
  constexpr std::uint32_t kPackets = 400;
  trace_.served.log_size = 3;
  {
    KernelRun kernel("traced", nic_.stream(), GetParam());
    for (std::uint32_t i = 0; i < kPackets; ++i) {
      receive(1);
      ASSERT_TRUE(step_until([&] { return nic_.sent().size() == received_; }, [&] { serve(); }));
    }
  }
  TraceReader reader(trace_.served);
  std::vector<TraceEvent> found;
  reader.read(found);
  EXPECT_EQ(found.size(), 8U);
  EXPECT_EQ(found.size() + reader.lost(), 5U * kPackets);
  EXPECT_EQ(found.back().index, 3U + kPackets);
}

}  // namespace
}  // namespace ringside::test
