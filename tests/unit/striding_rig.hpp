// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A striding receive queue on the software NIC, with a send queue that fills it round the loop.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "kernel_run.hpp"
#include "lib/device/send_queue.hpp"
#include "lib/device/striding_queue.hpp"
#include "lib/device/thread_scope.hpp"
#include "lib/mlx5/memory.hpp"
#include "lib/mlx5/q_counter.hpp"
#include "lib/mlx5/striding_queue.hpp"
#include "lib/mlx5/tx_queue.hpp"
#include "mlx5_fixture.hpp"
#include "queue_memory.hpp"

namespace ringside::test {

inline constexpr std::uint32_t kLogSends = 6;
inline constexpr std::uint32_t kSends = 1U << kLogSends;
inline constexpr std::uint32_t kLongest = 1514;
// 8 strides of 64 bytes, 4 buffers: a packet of 512 bytes has one of its own.
inline constexpr mlx5::StridingShape kSmall{
    .log_buffers = 2, .strides = {.log_count = 3, .log_bytes = 6, .padded = false}};
// Buffers for 64 short packets, or for 4 long ones.
inline constexpr mlx5::StridingShape kLarge{
    .log_buffers = 3, .strides = {.log_count = 6, .log_bytes = 7, .padded = true}};
inline constexpr std::uint32_t kLargest = 64 * 1024;

class Striding : public testing::TestWithParam<std::uint32_t> {
 protected:
  void open(const mlx5::StridingShape& shape) {
    iova.clear();
    for (std::uint32_t i = 0; i < 1U << shape.log_buffers; ++i) {
      iova.push_back(address(i * shape.buffer_length()));
    }
    traffic.reset();
    rx.emplace(domain, arenas, config(shape));
    traffic.emplace(context, rx->number(), transport_domain.number());
  }
  mlx5::StridingQueueConfig config(const mlx5::StridingShape& shape) const {
    return {.shape = shape,
            .buffers = {.iova = iova,
                        .length = shape.buffer_length(),
                        .lkey = key.lkey(),
                        .view_offset = 0},
            .q_counter = counter.id()};
  }
  std::uint64_t address(std::size_t at) const {
    return reinterpret_cast<std::uintptr_t>(memory.get()) + at;
  }

  /// Frame number n: that number, then bytes that tell it from others.
  static std::vector<std::uint8_t> frame(std::uint32_t number, std::uint32_t length) {
    std::vector<std::uint8_t> bytes(length);
    for (std::uint32_t i = 0; i < length; ++i) {
      bytes[i] = static_cast<std::uint8_t>(number * 7 + i);
    }
    bytes[12] = 0x08, bytes[13] = 0x06;
    return bytes;
  }
  /// One frame of each length, round the loop; they are in the ring when this returns, or lost.
  void send(std::initializer_list<std::uint32_t> lengths) {
    send(std::vector<std::uint32_t>(lengths));
  }
  void send(const std::vector<std::uint32_t>& lengths) {
    for (std::size_t done = 0; done < lengths.size();) {
      const auto count =
          static_cast<std::uint32_t>(std::min<std::size_t>(kSends, lengths.size() - done));
      for (std::uint32_t i = 0; i < count; ++i) {
        const auto bytes = frame(sent++, lengths[done + i]);
        std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::uint8_t*>(own(i)));
      }
      const TxBatch batch = sender->send(
          alone, count,
          [&](std::uint32_t i) {
            return TxPacket{own(i), lengths[done + i]};
          },
          kEver);
      ASSERT_EQ(sender->poll_at(alone, batch.ticket(), kEver), TxStatus::kOk);
      done += count;
    }
  }
  std::uint64_t own(std::uint32_t i) const { return address(kLargest + i * std::size_t{2048}); }

  /// Calls `body(scope)` in each thread of the scope; 0: of a thread alone.
  template <class Body>
  void run(Body body) {
    if (GetParam() != 0) return run_block(GetParam(), body);
    run_alone(body);
  }
  template <class S>
  static void expect_frame(S&, const StridingReceiveQueue& queue, const RxBatch& batch,
                           std::uint32_t i, std::uint32_t number, std::uint32_t length) {
    ASSERT_TRUE(queue.is_packet(batch, i)) << i;
    const Packet packet = queue.packet(batch, i);
    ASSERT_EQ(std::vector(packet.data(), packet.data() + packet.length()), frame(number, length));
  }
  template <class S, class Queue>
  static void release_all(S& scope, const Queue& queue, const RxBatch& batch) {
    for (std::uint32_t i = scope.rank(); i < batch.count; i += scope.size()) {
      queue.release(queue.slot(batch, i));
    }
    scope.sync();
  }
  /// Buffers that were given to the NIC so far, with those of the start, modulo 2^16.
  std::uint32_t posted() const {
    const Be32 counter_now{
        __atomic_load_n(&rx->handle().completions.record->receive_counter.raw, __ATOMIC_ACQUIRE)};
    return counter_now.value();
  }

  mlx5::Context context = mlx5::Context::open(kNicAddress);
  mlx5::Pd pd{context};
  std::size_t memory_bytes = kLargest + kSends * 2048;
  Pages memory = allocate_pages(memory_bytes);
  mlx5::MemoryKey key{pd, memory.get(), memory_bytes};
  mlx5::QueueDomain domain{context, pd};
  mlx5::TransportDomain transport_domain{context};
  mlx5::QCounter counter{context};
  QueueMemory queue_memory{
      context, 2 * (mlx5::StridingQueue::ring_bytes(kLarge) + mlx5::TxQueue::ring_bytes(kLogSends)),
      2 * (mlx5::StridingQueue::kernel_bytes(kLarge) + mlx5::TxQueue::kernel_bytes(kLogSends))};
  mlx5::QueueArenas arenas = queue_memory.arenas();
  std::vector<std::uint64_t> iova;
  mlx5::TxQueue tx{domain, arenas, kLogSends, key.lkey()};
  std::optional<mlx5::StridingQueue> rx;
  std::optional<AllTraffic> traffic;
  ThreadScope alone;
  SendQueue<Sharing::kExclusive> sender_queue{tx.handle()};
  SendQueue<Sharing::kExclusive>* sender = &sender_queue;
  std::uint32_t sent = 0;
};
}  // namespace ringside::test
