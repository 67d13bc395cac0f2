// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A receive queue with two buffers a slot, under two memory keys, and a kernel that joins the parts
// again, on the software NIC.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "kernel_run.hpp"
#include "lib/base/error.hpp"
#include "lib/device/udp_frame.hpp"
#include "lib/mlx5/format/split_wqe.hpp"
#include "lib/mlx5/memory.hpp"
#include "lib/mlx5/q_counter.hpp"
#include "lib/mlx5/rx_queue.hpp"
#include "lib/mlx5/tx_queue.hpp"
#include "mlx5_fixture.hpp"
#include "own_programs.hpp"
#include "queue_memory.hpp"

namespace ringside::test {
namespace {

[[maybe_unused]] const auto* const kLoopPort = testing::AddGlobalTestEnvironment(new LoopPort);

constexpr std::uint32_t kLogDepth = 5;
constexpr std::uint32_t kDepth = 1U << kLogDepth;
constexpr std::uint32_t kHeaderBytes = 80;  // no power of two, and the frames' headers fit in
constexpr std::uint32_t kPayloadBytes = 512;
constexpr std::uint32_t kOwnLength = 1024;

/// Buffers one after the other, under a key of their own.
struct Region {
  Region(const mlx5::Pd& pd, std::uint32_t count, std::uint32_t each)
      : memory(allocate_pages(std::size_t{count} * each)),
        key(pd, memory.get(), std::size_t{count} * each) {
    for (std::uint32_t i = 0; i < count; ++i) {
      iova.push_back(reinterpret_cast<std::uintptr_t>(memory.get()) + std::uint64_t{i} * each);
    }
  }
  mlx5::SlotBuffers slots(std::uint32_t length) const {
    return {.iova = {iova.data(), kDepth}, .length = length, .lkey = key.lkey(), .view_offset = 0};
  }
  Pages memory;
  mlx5::MemoryKey key;
  std::vector<std::uint64_t> iova;
};

/// A split queue on the loop. The send queue's own frame lies behind the payload's buffers.
class SplitQueuePair : public testing::Test {
 protected:
  SplitQueuePair() {
    const mlx5::SlotBuffers parts[] = {headers.slots(kHeaderBytes), payloads.slots(kPayloadBytes)};
    tx.emplace(domain, arenas, kLogDepth, payloads.key.lkey());
    rx.emplace(domain, arenas, config(parts));
    traffic.emplace(context, rx->number(), transport_domain.number());
  }

  mlx5::RxQueueConfig config(std::span<const mlx5::SlotBuffers> parts) {
    return {.log_depth = kLogDepth, .parts = parts, .q_counter = counter.id()};
  }
  StreamArgs stream(std::uint32_t length, std::uint32_t first_burst) {
    control = {};
    status = {};
    StreamArgs args{
        .rx = rx->handle(),
        .tx = tx->handle(),
        .counters = &counters,
        .control = &control,
        .status = &status,
        .burst = 8,
        .first_burst = first_burst,
        .drain_ns = 500'000'000,
        .program = {.source = {{2, 0, 0, 0, 0, 1}},
                    .destination = {{2, 0, 0, 0, 0, 2}},
                    .packet_length = length,
                    .own = nullptr},
        .tx_buffers = {
            .iova = &payloads.iova.back(), .view_offset = 0, .length = kOwnLength, .count = 1}};
    args.tx.header_lkey = headers.key.lkey();
    return args;
  }
  static std::uint64_t read(std::uint64_t& counter) {
    return __atomic_load_n(&counter, __ATOMIC_RELAXED);
  }

  /// Lets frames of that length go round until each slot has had some of them, and expects each
  /// slot's parts to be such a frame.
  void go_round(std::uint32_t length) {
    const StreamArgs args = stream(length, 8);
    const std::uint64_t before = counters.rx_packets;
    {
      KernelRun run(OwnProgram<SplitIo>(), args, 1);
      ASSERT_TRUE(wait_until([&] { return read(counters.rx_packets) >= before + 4 * kDepth; }));
    }
    ASSERT_EQ(status.phase, BlockPhase::kFinished);
    EXPECT_EQ(counters.rx_errors, 0U);
    std::vector<std::uint8_t> frame(length);
    write_udp_frame(frame.data(), args.program);
    for (std::uint32_t i = 0; i < kDepth; ++i) {
      const auto at = [i](const Region& region) {
        return reinterpret_cast<const std::uint8_t*>(region.iova[i]);
      };
      const std::uint32_t first = std::min(length, kHeaderBytes);
      std::vector<std::uint8_t> joined(at(headers), at(headers) + first);
      joined.insert(joined.end(), at(payloads), at(payloads) + length - first);
      ASSERT_EQ(joined, frame) << "slot " << i;
    }
  }

  mlx5::Context context = mlx5::Context::open(kNicAddress);
  mlx5::Pd pd{context};
  Region headers{pd, kDepth, kHeaderBytes};
  Region payloads{pd, kDepth + 1, kOwnLength};
  mlx5::QueueDomain domain{context, pd};
  mlx5::TransportDomain transport_domain{context};
  mlx5::QCounter counter{context};
  QueueMemory queue_memory{
      context, mlx5::RxQueue::ring_bytes(kLogDepth, 2) + mlx5::TxQueue::ring_bytes(kLogDepth),
      mlx5::RxQueue::kernel_bytes(kLogDepth, 2) + mlx5::TxQueue::kernel_bytes(kLogDepth)};
  mlx5::QueueArenas arenas = queue_memory.arenas();
  std::optional<mlx5::TxQueue> tx;
  std::optional<mlx5::RxQueue> rx;
  std::optional<AllTraffic> traffic;
  StreamCounters counters{};
  StreamControl control{};
  StreamStatus status{};
};

class SplitLengths : public SplitQueuePair, public testing::WithParamInterface<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(bytes, SplitLengths,
                         testing::Values(60, kHeaderBytes - 1, kHeaderBytes, kHeaderBytes + 1, 300,
                                         kHeaderBytes + kPayloadBytes),
                         testing::PrintToStringParamName());

TEST_P(SplitLengths, packets_go_round_in_two_parts_and_come_back_whole) {
  go_round(GetParam());
}

// The error costs the packet only, as a slot's turn.
TEST_F(SplitQueuePair, packet_longer_than_both_parts_is_counted_and_the_ring_goes_on) {
  {
    KernelRun run(OwnProgram<SplitIo>(), stream(kHeaderBytes + kPayloadBytes + 1, kDepth), 1);
    ASSERT_TRUE(wait_until([&] { return read(counters.rx_errors) == kDepth; }));
  }
  EXPECT_EQ(status.phase, BlockPhase::kFinished);
  EXPECT_EQ(counters.rx_packets, 0U);
  EXPECT_FALSE(rx->stopped());
  counters.rx_errors = 0;
  go_round(200);
}

TEST_F(SplitQueuePair, packets_of_both_parts_count_as_in_flight_and_the_queue_recovers) {
  const TxQueueHandle handle = tx->handle();
  TxQueueState& state = *handle.state;
  auto& wqe = reinterpret_cast<SplitSendWqe&>(handle.wqe[state.posted & (kDepth - 1)]);
  wqe.control.qpn_ds = Be32::of(qpn_ds(handle.sqn, kSplitSendWqeSegments));
  wqe.header.byte_count = Be32::of(80);
  wqe.payload.byte_count = Be32::of(120);
  ++state.posted;  // as a block would leave it that died between a WQE and its doorbell
  EXPECT_EQ(tx->in_flight(), 1U);
  EXPECT_EQ(tx->bytes_in_flight(), 200U);
  tx->recover();
  rx->recover();
  counters = {};
  go_round(300);
}

TEST_F(SplitQueuePair, a_slot_has_one_or_two_buffers) {
  const std::vector<mlx5::SlotBuffers> three(3, payloads.slots(kPayloadBytes));
  EXPECT_THROW(mlx5::RxQueue(domain, arenas, config(three)), Error);
  EXPECT_THROW(mlx5::RxQueue(domain, arenas, config({})), Error);
}

}  // namespace
}  // namespace ringside::test
