// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a kernel learns of received packets, on the software NIC: a thread sends frames by a
// SendQueue and receives them by a ReceiveQueue. Frames are written from the RFCs.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/device/receive_queue.hpp"
#include "lib/device/send_queue.hpp"
#include "lib/device/thread_scope.hpp"
#include "lib/mlx5/memory.hpp"
#include "lib/mlx5/q_counter.hpp"
#include "lib/mlx5/rx_queue.hpp"
#include "lib/mlx5/tx_queue.hpp"
#include "mlx5_fixture.hpp"
#include "softcx_steering_frames.hpp"

namespace ringside::test {
namespace {

[[maybe_unused]] const auto* const kLoopPort = testing::AddGlobalTestEnvironment(new LoopPort);

using frames::Bytes;
using frames::ethernet;
using frames::ipv4;
using frames::ipv6;
using frames::udp;
using frames::operator+;
using L3 = RxPacketType::L3;
using L4 = RxPacketType::L4;

constexpr std::uint32_t kLogDepth = 4;
constexpr std::uint32_t kDepth = 1U << kLogDepth;
constexpr std::uint32_t kPiece = 2048;
constexpr std::uint32_t kBufferLength = 1000;  // the rest of a piece has to stay as it is
constexpr std::uint64_t kEver = 60'000'000'000;

class Receiver : public testing::Test {
 protected:
  void open(bool strip_vlan = false) {
    std::vector<std::uint64_t> iova;
    for (std::uint32_t i = 0; i < kDepth; ++i) iova.push_back(piece(i));
    const mlx5::SlotBuffers buffers{
        .iova = iova, .length = kBufferLength, .lkey = key.lkey(), .view_offset = 0};
    tx.emplace(domain, arenas, kLogDepth, key.lkey());
    rx.emplace(domain, arenas,
               mlx5::RxQueueConfig{.log_depth = kLogDepth,
                                   .parts = std::span(&buffers, 1),
                                   .q_counter = counter.id(),
                                   .strip_vlan = strip_vlan});
    traffic.emplace(context, rx->number(), transport_domain.number());
    sender.emplace(tx->handle());
    receiver.emplace(rx->handle());
  }
  std::uint64_t piece(std::uint32_t i) const {
    return reinterpret_cast<std::uintptr_t>(memory.get()) + std::uint64_t{i} * kPiece;
  }

  void send(const Bytes& frame) {
    const std::uint64_t at = piece(kDepth);
    std::copy(frame.begin(), frame.end(), reinterpret_cast<std::uint8_t*>(at));
    const TxPacket packet{at, static_cast<std::uint32_t>(frame.size())};
    const TxBatch sent = sender->send(
        alone, 1, [&](std::uint32_t) { return packet; }, kEver);
    ASSERT_EQ(sender->poll_at(alone, sent.ticket(), kEver), TxStatus::kOk);
  }
  /// Sends the frame and looks at it as it arrives.
  template <class Look>
  void deliver(const Bytes& frame, Look look) {
    send(frame);
    const RxBatch batch = receiver->receive(alone, {1, 1, kEver});
    ASSERT_EQ(batch.count, 1U);
    ASSERT_TRUE(receiver->is_packet(batch, 0));
    look(receiver->packet(batch, 0));
    receiver->release(receiver->slot(batch, 0));
    receiver->give_back(alone);
  }
  static Bytes bytes(const Packet& packet) {
    return {packet.data(), packet.data() + packet.length()};
  }

  Pages memory = allocate_pages((kDepth + 1) * kPiece);
  std::size_t ring_bytes =
      mlx5::RxQueue::ring_bytes(kLogDepth) + mlx5::TxQueue::ring_bytes(kLogDepth);
  Pages rings = allocate_pages(ring_bytes);
  mlx5::Context context = mlx5::Context::open(kNicAddress);
  mlx5::Pd pd{context};
  mlx5::QueueDomain domain{context, pd};
  mlx5::TransportDomain transport_domain{context};
  mlx5::QCounter counter{context};
  mlx5::MemoryKey key{pd, memory.get(), (kDepth + 1) * kPiece};
  mlx5::Umem umem{context, rings.get(), ring_bytes};
  mlx5::DirectAccess ring_access{rings.get()};
  mlx5::RingArena arena{umem.id(), rings.get(), ring_bytes, ring_access};
  std::size_t kernel_bytes =
      mlx5::RxQueue::kernel_bytes(kLogDepth) + mlx5::TxQueue::kernel_bytes(kLogDepth);
  Pages kernel_only = allocate_pages(kernel_bytes);
  mlx5::DirectAccess kernel_access{kernel_only.get()};
  mlx5::RingArena kernel_arena{mlx5::RingArena::kNoUmem, kernel_only.get(), kernel_bytes,
                               kernel_access};
  mlx5::QueueArenas arenas{arena, kernel_arena};
  std::optional<mlx5::TxQueue> tx;
  std::optional<mlx5::RxQueue> rx;
  std::optional<AllTraffic> traffic;
  ThreadScope alone;
  std::optional<SendQueue<Sharing::kExclusive>> sender;
  std::optional<ReceiveQueue> receiver;
};

Bytes udp4_frame() {
  return ethernet(0x0800, ipv4({}, frames::with_checksum(udp(7, 8), 17, "10.0.0.1", "10.0.0.2")));
}

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
