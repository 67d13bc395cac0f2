// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Queues of a NIC whose free-running counter does not count nanoseconds: 6.4 ns a tick.
#include "lib/mlx5/clock_sample.hpp"
#include "mlx5_receiver.hpp"

namespace ringside::test {
namespace {

[[maybe_unused]] const auto* const kPort =
    testing::AddGlobalTestEnvironment(new LoopPort(R"("clock_khz": 156250, )"));

constexpr std::uint64_t kTickNs = 7;

class TickTime : public Receiver {
 protected:
  std::uint64_t nic_ns() const { return mlx5::read_nic_clock(context, rx->stamp_to_ns()); }
};

TEST_F(TickTime, packets_arrive_in_nanoseconds) {
  open();
  const std::uint64_t before = nic_ns();
  std::uint64_t stamp = 0, arrival_ns = 0;
  deliver(udp4_frame(), [&](const Packet& packet) {
    stamp = packet.timestamp();
    arrival_ns = packet.timestamp_ns(rx->stamp_to_ns());
  });
  EXPECT_EQ(arrival_ns, stamp * 32 / 5);
  EXPECT_GE(arrival_ns + kTickNs, before);
  EXPECT_LE(arrival_ns, nic_ns());
}

TEST_F(TickTime, packets_leave_at_their_nanosecond_within_a_tick) {
  open();
  EXPECT_EQ(tx->handle().wait_mask, (std::uint64_t{1} << 31) - 1);
  const std::uint64_t until = nic_ns() + 2'000'000'000;  // a busy machine posts in time
  EXPECT_LE(until - arrival_of_sent_at(until), kTickNs);
}

}  // namespace
}  // namespace ringside::test
