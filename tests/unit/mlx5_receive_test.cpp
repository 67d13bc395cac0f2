// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a kernel learns of received packets, on the software NIC: a thread sends frames by a
// SendQueue and receives them by a ReceiveQueue. Frames are written from the RFCs.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "lib/base/clock.hpp"
#include "mlx5_receiver.hpp"

namespace ringside::test {
namespace {

[[maybe_unused]] const auto* const kLoopPort = testing::AddGlobalTestEnvironment(new LoopPort);

using frames::ethernet;
using frames::ipv4;
using frames::ipv6;
using frames::udp;
using frames::operator+;
using L3 = RxPacketType::L3;
using L4 = RxPacketType::L4;

TEST_F(Receiver, packets_come_as_they_were_sent_with_their_type_and_checksums) {
  open();
  struct Case {
    Bytes frame;
    L3 l3;
    L4 l4;
    bool fragment, l3_ok, l4_ok;
  };
  Bytes wrong_l4 = udp4_frame();
  wrong_l4.back() ^= 1;
  Bytes wrong_l3 = udp4_frame();
  wrong_l3[14 + 8] ^= 1;
  const Bytes tcp6 = frames::with_checksum(frames::tcp(1, 2), 6, "2001:db8::1", "2001:db8::2");
  for (const Case& c : {
           Case{udp4_frame(), L3::kIpv4, L4::kUdp, false, true, true},
           Case{wrong_l4, L3::kIpv4, L4::kUdp, false, true, false},
           Case{wrong_l3, L3::kIpv4, L4::kUdp, false, false, true},
           Case{ethernet(0x86dd, ipv6(6, tcp6)), L3::kIpv6, L4::kTcp, false, true, true},
           Case{ethernet(0x0800, ipv4({.fragment = 0x2000}, udp(1, 2))), L3::kIpv4, L4::kOther,
                true, true, false},
           Case{ethernet(0x0806, Bytes(46)), L3::kOther, L4::kOther, false, false, false},
       }) {
    deliver(c.frame, [&](const Packet& packet) {
      EXPECT_EQ(bytes(packet), c.frame);
      EXPECT_EQ(packet.type().l3, c.l3);
      EXPECT_EQ(packet.type().l4, c.l4);
      EXPECT_EQ(packet.type().fragment, c.fragment);
      EXPECT_EQ(packet.l3_checksum_ok(), c.l3_ok);
      EXPECT_EQ(packet.l4_checksum_ok(), c.l4_ok);
      EXPECT_FALSE(packet.vlan_stripped());
      EXPECT_FALSE(packet.has_flow_mark());
    });
  }
}

TEST_F(Receiver, a_tag_stays_unless_it_is_to_be_stripped) {
  const Bytes inside = ipv4({}, frames::with_checksum(udp(7, 8), 17, "10.0.0.1", "10.0.0.2"));
  const Bytes tagged = ethernet(0x8100, frames::tag(0x602a, 0x0800, inside));
  open();
  deliver(tagged, [&](const Packet& packet) {
    EXPECT_FALSE(packet.vlan_stripped());
    EXPECT_EQ(bytes(packet), tagged);
  });
}

TEST_F(Receiver, a_stripped_tag_is_told_and_its_bytes_are_gone) {
  const Bytes inside = ipv4({}, frames::with_checksum(udp(7, 8), 17, "10.0.0.1", "10.0.0.2"));
  open(true);
  deliver(ethernet(0x8100, frames::tag(0x602a, 0x0800, inside)), [&](const Packet& packet) {
    EXPECT_TRUE(packet.vlan_stripped());
    EXPECT_EQ(packet.vlan_tci(), 0x602a);
    EXPECT_EQ(bytes(packet), ethernet(0x0800, inside));
    EXPECT_TRUE(packet.l4_checksum_ok());
  });
  const Bytes second = frames::tag(7, 0x0800, inside);
  deliver(ethernet(0x8100, frames::tag(0x602a, 0x8100, second)), [&](const Packet& packet) {
    EXPECT_EQ(packet.vlan_tci(), 0x602a);
    EXPECT_EQ(bytes(packet), ethernet(0x8100, second));
  });
  deliver(ethernet(0x0800, inside), [&](const Packet& packet) {
    EXPECT_FALSE(packet.vlan_stripped());
    EXPECT_EQ(bytes(packet), ethernet(0x0800, inside));
  });
}

TEST_F(Receiver, time_stamps_are_as_far_apart_as_the_packets) {
  open();
  constexpr std::uint64_t kGapNs = 5'000'000;
  std::uint64_t stamps[2] = {};
  const std::uint64_t start = monotonic_ns();
  for (std::uint64_t& stamp : stamps) {
    deliver(udp4_frame(), [&](const Packet& packet) { stamp = packet.timestamp(); });
    std::this_thread::sleep_for(std::chrono::nanoseconds(kGapNs));
  }
  const std::uint64_t most = monotonic_ns() - start;
  const std::uint64_t apart = stamps[1] - stamps[0];  // its clock ticks every nanosecond
  EXPECT_GE(apart, kGapNs);
  EXPECT_LE(apart, most);
}

TEST_F(Receiver, a_packet_longer_than_its_buffer_is_dropped_and_counted_and_the_ring_goes_on) {
  open();
  const auto frame_of = [](std::uint32_t length) {
    return ethernet(0x88b5, Bytes(length - 14, 0x5a));
  };
  std::uint32_t bad = 0;
  // More than the ring has slots, so each comes back.
  for (std::uint32_t i = 0; i < 3 * kDepth; ++i) {
    const bool longer = i % 3 != 0;
    send(frame_of(kBufferLength + (longer ? 1 : 0)));
    const RxBatch batch = receiver->receive(alone, {1, 1, kEver});
    ASSERT_EQ(batch.count, 1U);
    ASSERT_FALSE(batch.stopped);
    ASSERT_EQ(receiver->is_packet(batch, 0), !longer);
    bad += longer ? 1 : 0;
    const std::uint32_t slot = receiver->slot(batch, 0);
    const auto* const piece_end =
        reinterpret_cast<const std::uint8_t*>(piece(slot)) + kBufferLength;
    EXPECT_EQ(*piece_end, 0) << "written behind the buffer";
    receiver->release(slot);
    receiver->give_back(alone);
  }
  EXPECT_EQ(bad, 2 * kDepth);
  EXPECT_FALSE(rx->stopped());
  EXPECT_EQ(counter.out_of_buffer(), 0U);
}

TEST_F(Receiver, what_is_not_given_back_is_the_nics_out_of_buffer) {
  open();
  for (std::uint32_t i = 0; i < kDepth + 3; ++i) send(udp4_frame());
  const RxBatch batch = receiver->receive(alone, {kDepth, kDepth + 3, kEver});
  EXPECT_EQ(batch.count, kDepth);
  EXPECT_EQ(counter.out_of_buffer(), 3U);
  // In any order: what matters is that all are back.
  for (std::uint32_t i = kDepth; i-- > 0;) receiver->release(receiver->slot(batch, i));
  receiver->give_back(alone);
  deliver(udp4_frame(), [](const Packet& packet) { EXPECT_EQ(bytes(packet), udp4_frame()); });
}

}  // namespace
}  // namespace ringside::test
