// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A thread that sends frames by a SendQueue, and receives them by a ReceiveQueue, on the software
// NIC.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "lib/device/receive_queue.hpp"
#include "lib/device/send_queue.hpp"
#include "lib/device/thread_scope.hpp"
#include "lib/mlx5/memory.hpp"
#include "lib/mlx5/q_counter.hpp"
#include "lib/mlx5/rx_queue.hpp"
#include "lib/mlx5/tx_queue.hpp"
#include "mlx5_fixture.hpp"
#include "queue_memory.hpp"
#include "softcx_steering_frames.hpp"
#include "wait.hpp"

namespace ringside::test {

using frames::Bytes;

inline constexpr std::uint32_t kLogDepth = 4;
inline constexpr std::uint32_t kDepth = 1U << kLogDepth;
inline constexpr std::uint32_t kPiece = 2048;
inline constexpr std::uint32_t kBufferLength = 1000;  // the rest of a piece has to stay as it is

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
  /// When what was asked to leave at that time arrives, by the queues' time; the wire takes none.
  std::uint64_t arrival_of_sent_at(std::uint64_t ns) {
    const TxPacket packet{piece(kDepth), 64};
    const TxBatch sent = sender->send(
        alone, 1,
        [&](std::uint32_t) {
          return TxAt<TxPacket>{tx->ns_to_stamp()(ns), packet};
        },
        kEver);
    EXPECT_EQ(sender->poll_at(alone, sent.ticket(), kEver), TxStatus::kOk);
    const RxBatch batch = receiver->receive(alone, {1, 1, kEver});
    EXPECT_EQ(batch.count, 1U);
    return batch.count == 0 ? 0 : receiver->packet(batch, 0).timestamp_ns(rx->stamp_to_ns());
  }
  static Bytes bytes(const Packet& packet) {
    return {packet.data(), packet.data() + packet.length()};
  }

  Pages memory = allocate_pages((kDepth + 1) * kPiece);
  mlx5::Context context = mlx5::Context::open(kNicAddress);
  mlx5::Pd pd{context};
  mlx5::QueueDomain domain{context, pd};
  mlx5::TransportDomain transport_domain{context};
  mlx5::QCounter counter{context};
  mlx5::MemoryKey key{pd, memory.get(), (kDepth + 1) * kPiece};
  QueueMemory queue_memory{
      context, mlx5::RxQueue::ring_bytes(kLogDepth) + mlx5::TxQueue::ring_bytes(kLogDepth),
      mlx5::RxQueue::kernel_bytes(kLogDepth) + mlx5::TxQueue::kernel_bytes(kLogDepth)};
  mlx5::QueueArenas arenas = queue_memory.arenas();
  std::optional<mlx5::TxQueue> tx;
  std::optional<mlx5::RxQueue> rx;
  std::optional<AllTraffic> traffic;
  ThreadScope alone;
  std::optional<SendQueue<Sharing::kExclusive>> sender;
  std::optional<ReceiveQueue> receiver;
};

inline Bytes udp4_frame() {
  return frames::ethernet(0x0800, frames::ipv4({}, frames::with_checksum(frames::udp(7, 8), 17,
                                                                         "10.0.0.1", "10.0.0.2")));
}

}  // namespace ringside::test
