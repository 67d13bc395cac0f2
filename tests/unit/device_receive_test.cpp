// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// ReceiveQueue by a thread alone and by blocks of several sizes, against the fake NIC.
#include "lib/device/receive_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/unit/fake_nic.hpp"
#include "tests/unit/kernel_run.hpp"

namespace ringside::test {
namespace {

/// Threads of the scope; 0: a thread alone, as ThreadScope.
class DeviceReceive : public testing::TestWithParam<std::uint32_t> {
 protected:
  /// Calls `body(scope)` in each thread of the scope.
  template <class Body>
  static void run(Body body) {
    if (GetParam() != 0) return run_block(GetParam(), body);
    run_alone(body);
  }
  static void expect_posted(FakeNic& nic, std::uint32_t released) {
    EXPECT_EQ(nic.released(), released);
  }
};
INSTANTIATE_TEST_SUITE_P(threads, DeviceReceive, testing::Values(0U, 1U, 32U, 256U),
                         [](const auto& size) {
                           return size.param == 0 ? "alone" : std::to_string(size.param);
                         });

std::vector<std::uint8_t> frame_of(std::uint32_t number) {
  return std::vector<std::uint8_t>(20 + number % 50, static_cast<std::uint8_t>(number));
}

void receive_frames(FakeNic& nic, std::uint32_t count, std::uint32_t first = 0) {
  for (std::uint32_t i = 0; i < count; ++i) nic.receive(frame_of(first + i));
}

FakeNic::Config sink(FakeNic::Config config = {}) {
  config.packets_are_sent = false;
  return config;
}

template <class S>
void expect_frames(S& scope, const ReceiveQueue& queue, const RxBatch& batch, std::uint32_t first) {
  for (std::uint32_t i = scope.rank(); i < batch.count; i += scope.size()) {
    ASSERT_TRUE(queue.is_packet(batch, i));
    const Packet packet = queue.packet(batch, i);
    ASSERT_EQ(std::vector(packet.data(), packet.data() + packet.length()), frame_of(first + i));
  }
}

template <class S>
void release_all(S& scope, const ReceiveQueue& queue, const RxBatch& batch) {
  for (std::uint32_t i = scope.rank(); i < batch.count; i += scope.size()) {
    queue.release(queue.slot(batch, i));
  }
  scope.sync();
}

TEST_P(DeviceReceive, what_is_there_is_taken_up_to_the_most) {
  FakeNic nic(sink());
  receive_frames(nic, 11);
  run([&](auto& scope) {
    ReceiveQueue queue(nic.stream().rx);
    for (const std::uint32_t first : {0U, 5U}) {
      const RxBatch batch = queue.receive(scope, {.least = 1, .most = 5, .timeout_ns = kEver});
      EXPECT_EQ(batch.count, 5U);
      expect_frames(scope, queue, batch, first);
    }
    EXPECT_EQ(queue.receive(scope, {.least = 1, .most = 5, .timeout_ns = kEver}).count, 1U);
    EXPECT_EQ(queue.kept(), 11U);
  });
}

TEST_P(DeviceReceive, without_a_timeout_it_looks_and_does_not_wait) {
  FakeNic nic(sink());
  run([&](auto& scope) {
    ReceiveQueue queue(nic.stream().rx);
    EXPECT_EQ(queue.receive(scope, {.least = 4, .most = 8, .timeout_ns = 0}).count, 0U);
    if (scope.rank() == 0) receive_frames(nic, 3);
    scope.sync();
    EXPECT_EQ(queue.receive(scope, {.least = 4, .most = 8, .timeout_ns = 0}).count, 3U);
  });
}

TEST_P(DeviceReceive, it_waits_for_the_least_and_takes_what_has_come_by_then) {
  FakeNic nic(sink());
  std::atomic<bool> waits{false};
  std::jthread sender([&] {
    EXPECT_TRUE(wait_until([&] { return waits.load(); }));
    for (std::uint32_t i = 0; i < 6; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      nic.receive(frame_of(i));
    }
  });
  run([&](auto& scope) {
    ReceiveQueue queue(nic.stream().rx);
    if (scope.rank() == 0) waits.store(true);
    std::uint32_t first = 0;
    while (first < 6) {
      const std::uint32_t least = std::min(4U, 6 - first);
      const RxBatch batch = queue.receive(scope, {least, 8, kEver});
      ASSERT_GE(batch.count, least);
      expect_frames(scope, queue, batch, first);
      first += batch.count;
    }
    EXPECT_EQ(first, 6U);
  });
}

TEST_P(DeviceReceive, after_the_deadline_it_returns_with_fewer) {
  FakeNic nic(sink());
  receive_frames(nic, 3);
  run([&](auto& scope) {
    ReceiveQueue queue(nic.stream().rx);
    constexpr std::uint64_t kWait = 2'000'000;
    const std::uint64_t start = scope.now_ns();
    const RxBatch batch = queue.receive(scope, {.least = 8, .most = 8, .timeout_ns = kWait});
    const bool waited =
        scope.now_ns() - start >= kWait;  // by rank 0, whom the others may join late
    EXPECT_TRUE(waited || scope.rank() != 0);
    EXPECT_EQ(batch.count, 3U);
    EXPECT_FALSE(batch.stopped);
    expect_frames(scope, queue, batch, 0);
  });
}

TEST_P(DeviceReceive, slots_come_back_in_the_rings_order_whatever_the_order_of_releases) {
  FakeNic nic(sink());
  receive_frames(nic, 6);
  run([&](auto& scope) {
    ReceiveQueue queue(nic.stream().rx);
    const RxBatch batch = queue.receive(scope, {6, 6, kEver});
    std::uint32_t back = 0;
    const auto release = [&](std::uint32_t i, std::uint32_t contiguous) {
      if (scope.rank() == i % scope.size()) queue.release(queue.slot(batch, i));
      scope.sync();
      queue.give_back(scope);
      scope.sync();
      back = contiguous;
      if (scope.rank() == 0) expect_posted(nic, back);
      EXPECT_EQ(queue.kept(), 6 - back);
      scope.sync();
    };
    release(4, 0);
    release(2, 0);
    release(0, 1);
    release(1, 3);
    release(5, 3);
    release(3, 6);
  });
}

TEST_P(DeviceReceive, a_held_packet_is_not_overwritten_and_its_cqe_stays) {
  FakeNic nic(sink());
  receive_frames(nic, 16);
  run([&](auto& scope) {
    ReceiveQueue queue(nic.stream().rx);
    const RxBatch held = queue.receive(scope, {16, 16, kEver});
    ASSERT_EQ(held.count, 16U);
    queue.give_back(scope);
    scope.sync();
    if (scope.rank() == 0) expect_posted(nic, 0);
    // Nothing can come, so there is nothing to wait for.
    EXPECT_EQ(queue.receive(scope, {1, 8, kEver}).count, 0U);
    if (scope.rank() == 0) queue.release(queue.slot(held, 0));
    scope.sync();
    queue.give_back(scope);
    scope.sync();
    if (scope.rank() == 0) nic.receive(frame_of(99));
    scope.sync();
    const RxBatch next = queue.receive(scope, {1, 8, kEver});
    EXPECT_EQ(next.count, 1U);
    expect_frames(scope, queue, next, 99);
    for (std::uint32_t i = 1 + scope.rank(); i < 16; i += scope.size()) {
      const Packet packet = queue.packet(held, i);
      ASSERT_EQ(std::vector(packet.data(), packet.data() + packet.length()), frame_of(i));
    }
  });
}

TEST_P(DeviceReceive, rings_and_counters_wrap_and_the_next_kernel_goes_on) {
  for (const std::uint32_t bits : {3U, 16U, 24U, 32U}) {
    const std::uint64_t start = (std::uint64_t{1} << bits) - 3;
    FakeNic nic(sink({.log_rx_cq = 5, .rx_start = start, .rx_cq_start = start + 1}));
    std::uint32_t next = 0;
    for (int kernel = 0; kernel < 2; ++kernel) {
      run([&](auto& scope) {
        ReceiveQueue queue(nic.stream().rx);
        for (int round = 0; round < 5; ++round) {
          if (scope.rank() == 0) receive_frames(nic, 7, next);
          scope.sync();
          const RxBatch batch = queue.receive(scope, {7, 16, kEver});
          EXPECT_EQ(batch.count, 7U);
          expect_frames(scope, queue, batch, next);
          release_all(scope, queue, batch);
          queue.give_back(scope);
          scope.sync();
          if (scope.rank() == 0) next += 7;
          scope.sync();
        }
      });
    }
    EXPECT_EQ(nic.released(), start + 70);
    EXPECT_EQ(nic.slots_held(), 0U);
  }
}

// Longer than its buffer, say.
TEST_P(DeviceReceive, a_bad_packet_is_told_apart_and_the_ring_goes_on) {
  FakeNic nic(sink());
  receive_frames(nic, 2);
  nic.receive_error(0x01);
  receive_frames(nic, 1, 2);
  run([&](auto& scope) {
    ReceiveQueue queue(nic.stream().rx);
    const RxBatch batch = queue.receive(scope, {4, 8, kEver});
    EXPECT_EQ(batch.count, 4U);
    EXPECT_FALSE(batch.stopped);
    EXPECT_FALSE(queue.is_packet(batch, 2));
    EXPECT_TRUE(queue.is_packet(batch, 3));
    release_all(scope, queue, batch);
    queue.give_back(scope);
  });
  expect_posted(nic, 4);
}

TEST_P(DeviceReceive, an_error_that_stops_the_queue_ends_the_wait_and_is_named) {
  FakeNic nic(sink());
  receive_frames(nic, 2);
  nic.receive_error(0x04, 0x51);
  nic.receive_error(0x05);
  nic.receive_error(0x05);
  run([&](auto& scope) {
    ReceiveQueue queue(nic.stream().rx);
    const RxBatch batch = queue.receive(scope, {5, 8, kEver});
    EXPECT_EQ(batch.count, 2U);
    EXPECT_TRUE(batch.stopped);
    EXPECT_EQ(queue.stop_error(batch).syndrome, 0x04);
    EXPECT_EQ(queue.stop_error(batch).vendor, 0x51);
  });
}

TEST_P(DeviceReceive, split_packets_have_two_parts) {
  FakeNic nic(sink({.split_at = 64}));
  std::vector<std::uint8_t> frame(200);
  std::iota(frame.begin(), frame.end(), std::uint8_t{0});
  nic.receive(frame);
  nic.receive(std::span(frame).first(40));
  run([&](auto& scope) {
    SplitReceiveQueue queue(nic.stream().rx);
    const RxBatch batch = queue.receive(scope, {2, 2, kEver});
    if (scope.rank() != 0) return;
    const SplitPacket longer = queue.packet(batch, 0);
    EXPECT_EQ(longer.header_length(), 64U);
    EXPECT_EQ(longer.payload_length(), 136U);
    EXPECT_EQ(longer.data()[63], 63);
    EXPECT_EQ(longer.payload()[0], 64);
    EXPECT_EQ(queue.packet(batch, 1).payload_length(), 0U);
  });
}

TEST(DevicePacket, the_type_is_what_the_cqe_says) {
  using L3 = RxPacketType::L3;
  using L4 = RxPacketType::L4;
  struct Case {
    std::uint8_t bits;  // PRM: fragment 7, L4 6..4, L3 3..2, options 1, VLAN stripped 0
    L3 l3;
    L4 l4;
    bool fragment, options;
  };
  for (const Case& c : {Case{0x00, L3::kOther, L4::kOther, false, false},
                        {0x18, L3::kIpv4, L4::kTcp, false, false},
                        {0x38, L3::kIpv4, L4::kTcp, false, false},
                        {0x45, L3::kIpv6, L4::kTcp, false, false},
                        {0x26, L3::kIpv6, L4::kUdp, false, true},
                        {0x88, L3::kIpv4, L4::kOther, true, false},
                        {0x01, L3::kOther, L4::kOther, false, false}}) {
    Cqe cqe{};
    cqe.header_types = c.bits;
    const RxPacketType type = Packet(&cqe, 0, 0, 0).type();
    EXPECT_EQ(type.l3, c.l3) << int{c.bits};
    EXPECT_EQ(type.l4, c.l4) << int{c.bits};
    EXPECT_EQ(type.fragment, c.fragment) << int{c.bits};
    EXPECT_EQ(type.options, c.options) << int{c.bits};
  }
}

}  // namespace
}  // namespace ringside::test
