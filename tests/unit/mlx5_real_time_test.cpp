// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Queues of a NIC that keeps real time.
#include "lib/base/error.hpp"
#include "lib/mlx5/clock_sample.hpp"
#include "lib/softcx/nic/nic_clock.hpp"
#include "mlx5_receiver.hpp"

namespace ringside::test {
namespace {

[[maybe_unused]] const auto* const kPort =
    testing::AddGlobalTestEnvironment(new LoopPort(R"("real_time": true, "clock_khz": 156250, )"));

using RealTime = Receiver;

TEST_F(RealTime, packets_arrive_at_the_time_of_day) {
  open();
  const std::uint64_t before = softcx::utc_ns();
  std::uint64_t stamp = 0, arrival_ns = 0;
  deliver(udp4_frame(), [&](const Packet& packet) {
    stamp = packet.timestamp();
    arrival_ns = packet.timestamp_ns(rx->stamp_to_ns());
  });
  EXPECT_EQ(stamp >> 32, arrival_ns / kNsPerSecond);
  EXPECT_EQ(stamp & 0xffffffffU, arrival_ns % kNsPerSecond);
  // The machine's clock may be adjusted meanwhile, the NIC's is not.
  constexpr std::uint64_t kSlackNs = 10'000'000;
  EXPECT_GE(arrival_ns, before - kSlackNs);
  EXPECT_LE(arrival_ns, softcx::utc_ns() + kSlackNs);
}

TEST_F(RealTime, packets_leave_at_the_time_of_day) {
  open();
  EXPECT_EQ(tx->handle().wait_mask, (std::uint64_t{1} << 35) - 1);
  // In another second, so that both halves of the stamp count, and one at least ahead, so that a
  // busy machine posts in time.
  const std::uint64_t until = (softcx::utc_ns() / kNsPerSecond + 2) * kNsPerSecond + 20'000'000;
  EXPECT_EQ(arrival_of_sent_at(until), until);
}

TEST_F(RealTime, the_clock_that_verbs_tell_is_not_taken_for_it) {
  open();
  EXPECT_THROW(mlx5::read_nic_clock(context, rx->stamp_to_ns()), Error);
}

}  // namespace
}  // namespace ringside::test
