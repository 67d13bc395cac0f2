// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A queue pair on the software NIC, for tests that run kernels on it.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <optional>
#include <vector>

#include "lib/device/stream.hpp"
#include "lib/mlx5/memory.hpp"
#include "lib/mlx5/q_counter.hpp"
#include "lib/mlx5/rx_queue.hpp"
#include "lib/mlx5/tx_queue.hpp"
#include "tests/unit/kernel_run.hpp"
#include "tests/unit/mlx5_fixture.hpp"
#include "tests/unit/queue_memory.hpp"

namespace ringside::test {

inline constexpr std::uint32_t kLogDepth = 6;
inline constexpr std::uint32_t kDepth = 1U << kLogDepth;
inline constexpr std::uint32_t kBufferLength = 2048;
inline constexpr std::uint32_t kOwnBuffers = 4;
inline constexpr std::size_t kPacketBytes = (kDepth + kOwnBuffers) * kBufferLength;

/// One queue pair on the loop, with a kernel between: what is sent once goes round for ever.
class QueuePair : public testing::Test {
 protected:
  QueuePair() {
    for (std::uint32_t i = 0; i < kDepth + kOwnBuffers; ++i) {
      iova.push_back(reinterpret_cast<std::uintptr_t>(packets.get()) + i * kBufferLength);
    }
    tx.emplace(domain, arenas, kLogDepth, key.lkey());
    const mlx5::SlotBuffers buffers{.iova = {iova.data(), kDepth},
                                    .length = kBufferLength,
                                    .lkey = key.lkey(),
                                    .view_offset = 0};
    rx.emplace(
        domain, arenas,
        mlx5::RxQueueConfig{
            .log_depth = kLogDepth, .parts = std::span(&buffers, 1), .q_counter = counter.id()});
    traffic.emplace(context, rx->number(), transport_domain.number());
  }

  StreamArgs stream(std::uint32_t first_burst) {
    control = {};
    status = {};
    return StreamArgs{.rx = rx->handle(),
                      .tx = tx->handle(),
                      .counters = &counters,
                      .control = &control,
                      .status = &status,
                      .burst = 16,
                      .first_burst = first_burst,
                      .drain_ns = 500'000'000,
                      .program = {.source = {}, .destination = {}, .packet_length = 64},
                      .tx_buffers = {.iova = iova.data() + kDepth,
                                     .view_offset = 0,
                                     .length = kBufferLength,
                                     .count = kOwnBuffers}};
  }
  static std::uint64_t read(std::uint64_t& counter) {
    return __atomic_load_n(&counter, __ATOMIC_RELAXED);
  }
  BlockPhase phase() { return std::atomic_ref(status.phase).load(std::memory_order_acquire); }

  /// Runs io with a burst of its own until `more` have been received.
  void expect_traffic(std::uint64_t more) {
    const std::uint64_t before = counters.rx_packets;
    KernelRun run("io", stream(8), 1);
    EXPECT_TRUE(wait_until([&] { return read(counters.rx_packets) >= before + more; }))
        << "received " << read(counters.rx_packets) - before << " in phase "
        << static_cast<int>(phase());
  }

  /// A WQE that no kernel would write: its packet is in memory that no key covers.
  void post_bad_send() {
    LoopPort::expect_broken("key.bounds");
    const TxQueueHandle handle = tx->handle();
    TxQueueState& state = *handle.state;
    const auto index = static_cast<std::uint32_t>(state.posted++);
    SendWqe& wqe = handle.wqe[index & (kDepth - 1)];
    wqe = {};
    wqe.control.opmod_idx_opcode = Be32::of(opmod_idx_opcode(index, WqeOpcode::kSend));
    wqe.control.qpn_ds = Be32::of(qpn_ds(handle.sqn, kSendWqeSegments));
    wqe.data = {Be32::of(64), Be32::of(key.lkey()), Be64::of(iova.back() + kBufferLength)};
    handle.wqe_slot[index & (kDepth - 1)] = kNoSlot;
    __atomic_store_n(&handle.record->send_counter.raw, Be32::of((index + 1) & 0xffff).raw,
                     __ATOMIC_RELEASE);
    std::uint64_t doorbell = 0;
    std::memcpy(&doorbell, &wqe.control, sizeof(doorbell));
    __atomic_store_n(handle.doorbell, doorbell, __ATOMIC_RELEASE);
  }

  /// Spoils the keys of all receive WQEs. The ring is the arena's first piece after the send
  /// queue's; its record follows it.
  void spoil_receive_ring() {
    LoopPort::expect_broken("key.unknown");
    LoopPort::expect_broken("receive.wqe-changed");
    auto* const ring = reinterpret_cast<DataSegment*>(rx->handle().record) - kDepth;
    for (std::uint32_t i = 0; i < kDepth; ++i) ring[i].lkey = Be32::of(key.lkey() + 0x100);
  }

  /// A record by which more CQEs were taken than were written: the next one finds no room.
  static void spoil_cq_record(CqDoorbellRecord* record, std::uint64_t consumed) {
    LoopPort::expect_broken("cq.consumer-ahead");
    __atomic_store_n(&record->consumer_index.raw,
                     Be32::of(static_cast<std::uint32_t>(consumed + kDepth / 2) & 0xffffff).raw,
                     __ATOMIC_RELEASE);
  }

  Pages packets = allocate_pages(2 * kPacketBytes);  // of which the key covers the first half
  mlx5::Context context = mlx5::Context::open(kNicAddress);
  mlx5::Pd pd{context};
  mlx5::QueueDomain domain{context, pd};
  mlx5::TransportDomain transport_domain{context};
  mlx5::QCounter counter{context};
  mlx5::MemoryKey key{pd, packets.get(), kPacketBytes};
  QueueMemory queue_memory{
      context, mlx5::RxQueue::ring_bytes(kLogDepth) + 4 * mlx5::TxQueue::ring_bytes(kLogDepth),
      mlx5::RxQueue::kernel_bytes(kLogDepth) + 4 * mlx5::TxQueue::kernel_bytes(kLogDepth)};
  mlx5::QueueArenas arenas = queue_memory.arenas();
  std::vector<std::uint64_t> iova;
  std::optional<mlx5::TxQueue> tx;
  std::optional<mlx5::RxQueue> rx;
  std::optional<AllTraffic> traffic;
  StreamCounters counters{};
  StreamControl control{};
  StreamStatus status{};
};

}  // namespace ringside::test
