// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Rings that a kernel drives on the software NIC, and their way back from an error.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "kernel_run.hpp"
#include "lib/base/error.hpp"
#include "lib/device/send_queue.hpp"
#include "lib/mlx5/clock_sample.hpp"
#include "lib/mlx5/memory.hpp"
#include "lib/mlx5/q_counter.hpp"
#include "lib/mlx5/rx_queue.hpp"
#include "lib/mlx5/tx_queue.hpp"
#include "mlx5_fixture.hpp"

namespace ringside::test {
namespace {

[[maybe_unused]] const auto* const kLoopPort = testing::AddGlobalTestEnvironment(new LoopPort);

constexpr std::uint32_t kLogDepth = 6;
constexpr std::uint32_t kDepth = 1U << kLogDepth;
constexpr std::uint32_t kBufferLength = 2048;
constexpr std::uint32_t kOwnBuffers = 4;
constexpr std::size_t kPacketBytes = (kDepth + kOwnBuffers) * kBufferLength;

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

  Pages packets = allocate_pages(kPacketBytes);
  std::size_t ring_bytes =
      mlx5::RxQueue::ring_bytes(kLogDepth) + 2 * mlx5::TxQueue::ring_bytes(kLogDepth);
  Pages rings = allocate_pages(ring_bytes);
  mlx5::Context context = mlx5::Context::open(kNicAddress);
  mlx5::Pd pd{context};
  mlx5::QueueDomain domain{context, pd};
  mlx5::TransportDomain transport_domain{context};
  mlx5::QCounter counter{context};
  mlx5::MemoryKey key{pd, packets.get(), kPacketBytes};
  mlx5::Umem umem{context, rings.get(), ring_bytes};
  mlx5::DirectAccess ring_access{rings.get()};
  mlx5::RingArena arena{umem.id(), rings.get(), ring_bytes, ring_access};
  std::size_t kernel_bytes =
      mlx5::RxQueue::kernel_bytes(kLogDepth) + 2 * mlx5::TxQueue::kernel_bytes(kLogDepth);
  Pages kernel_only = allocate_pages(kernel_bytes);
  mlx5::DirectAccess kernel_access{kernel_only.get()};
  mlx5::RingArena kernel_arena{mlx5::RingArena::kNoUmem, kernel_only.get(), kernel_bytes,
                               kernel_access};
  mlx5::QueueArenas arenas{arena, kernel_arena};
  std::vector<std::uint64_t> iova;
  std::optional<mlx5::TxQueue> tx;
  std::optional<mlx5::RxQueue> rx;
  std::optional<AllTraffic> traffic;
  StreamCounters counters{};
  StreamControl control{};
  StreamStatus status{};
};

TEST_F(QueuePair, packets_go_round_past_the_end_of_every_ring) {
  ASSERT_TRUE(traffic->steers());
  expect_traffic(10 * kDepth);
  EXPECT_EQ(counters.rx_errors, 0U);
  EXPECT_EQ(counters.tx_errors, 0U);
}

TEST_F(QueuePair, next_kernel_goes_on_where_the_last_one_ended) {
  for (int run = 0; run < 3; ++run) expect_traffic(kDepth + 5);
}

TEST_F(QueuePair, stopped_send_queue_is_named_and_recovers) {
  expect_traffic(kDepth + 5);
  post_bad_send();
  {
    KernelRun run("io", stream(0), 1);
    ASSERT_TRUE(wait_until([&] { return phase() == BlockPhase::kFailed; }));
  }
  EXPECT_EQ(status.error_on_send, 1U);
  EXPECT_EQ(status.error_syndrome, static_cast<unsigned>(CqeSyndrome::kLocalProtection));
  tx->recover();
  EXPECT_EQ(tx->in_flight(), 0U);
  expect_traffic(10 * kDepth);
}

TEST_F(QueuePair, stopped_receive_queue_is_named_and_recovers) {
  expect_traffic(kDepth + 5);
  spoil_receive_ring();
  {
    KernelRun run("io", stream(8), 1);
    ASSERT_TRUE(wait_until([&] { return phase() == BlockPhase::kFailed; }));
  }
  EXPECT_EQ(status.error_on_send, 0U);
  EXPECT_EQ(status.error_syndrome, static_cast<unsigned>(CqeSyndrome::kLocalProtection));
  rx->recover();
  EXPECT_EQ(rx->handle().state->received, 0U);
  EXPECT_NE(rx->handle().cq_offset, 0U);
  expect_traffic(10 * kDepth);
}

TEST_F(QueuePair, error_that_no_kernel_saw_is_the_queues_own_to_tell) {
  EXPECT_FALSE(tx->stopped());
  EXPECT_FALSE(rx->stopped());
  post_bad_send();
  EXPECT_TRUE(wait_until([&] { return tx->stopped(); }));
  EXPECT_EQ(tx->in_flight(), 1U);
  EXPECT_EQ(tx->bytes_in_flight(), 64U);
  tx->recover();
  EXPECT_FALSE(tx->stopped());
  EXPECT_EQ(tx->bytes_in_flight(), 0U);
  spoil_receive_ring();
  {
    KernelRun run("io", stream(8), 1);
    ASSERT_TRUE(wait_until([&] { return phase() == BlockPhase::kFailed; }));
  }
  EXPECT_TRUE(rx->stopped());
  rx->recover();
  EXPECT_FALSE(rx->stopped());
}

TEST_F(QueuePair, queue_recovers_as_often_as_it_stops) {
  for (int failure = 0; failure < 5; ++failure) {
    spoil_receive_ring();
    {
      KernelRun run("io", stream(8), 1);
      ASSERT_TRUE(wait_until([&] { return phase() == BlockPhase::kFailed; })) << failure;
    }
    rx->recover();
    expect_traffic(kDepth + 3);
  }
}

TEST_F(QueuePair, exported_queue_sends_by_blueflame_several_a_wqe_and_at_a_time) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  mlx5::TxQueue queue_of_flames(domain, arenas, kLogDepth, key.lkey(), mlx5::SendHabit::kLoneWqes);
  const TxQueueHandle handle = queue_of_flames.handle();
  EXPECT_EQ(handle.doorbell_kind, DoorbellKind::kBlueFlame);
  EXPECT_TRUE(handle.multi_packet);
  EXPECT_EQ(handle.wait_mask, (std::uint64_t{1} << 33) - 1);
  ThreadScope thread;
  SendQueue<Sharing::kExclusive> queue(handle);
  const auto send = [&](std::uint32_t count, auto packet_of) {
    const TxBatch sent = queue.send(thread, count, packet_of, kSecond);
    return queue.poll_at(thread, sent.ticket(), kSecond);
  };
  const TxPacket packet{iova[kDepth], 64};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(send(1, [&](std::uint32_t) { return packet; }), TxStatus::kOk);
  }
  EXPECT_EQ(send(40, [&](std::uint32_t) { return TxGrouped<>{{packet.iova, 64}}; }), TxStatus::kOk);
  const std::uint64_t until = mlx5::read_nic_clock(context, rx->stamp_to_ns()) + 20'000'000;
  EXPECT_EQ(send(1, [&](std::uint32_t) { return TxAt<TxPacket>{until, packet}; }), TxStatus::kOk);
  EXPECT_GE(mlx5::read_nic_clock(context, rx->stamp_to_ns()), until);
  // The loop brings each back: the last one's time stamp is the time that it waited for.
  const Cqe& last = rx->handle().cqe[43];
  EXPECT_TRUE(
      wait_until([&] { return cqe_is_ready(load_acquire_system(&last.op_own), 43, kLogDepth); }));
  EXPECT_EQ(last.timestamp.value(), until);
}

TEST_F(QueuePair, exported_queue_goes_by_blueflame_only_where_a_lone_wqe_reaches_the_register) {
  EXPECT_EQ(tx->handle().doorbell_kind, DoorbellKind::kRegular) << "a queue for batches";
  const mlx5::TxQueue lone(domain, arenas, kLogDepth, key.lkey(), mlx5::SendHabit::kLoneWqes);
  EXPECT_EQ(lone.handle().doorbell_kind, DoorbellKind::kBlueFlame);
  EXPECT_EQ(lone.handle().doorbell, lone.doorbell());
  std::uint64_t word = 0;
  const TxQueueHandle by_cpu = lone.handle(DoorbellTarget::request_word(&word));
  EXPECT_EQ(by_cpu.doorbell_kind, DoorbellKind::kRegular);
  EXPECT_EQ(by_cpu.doorbell, &word);
}

TEST_F(QueuePair, packets_without_a_posted_buffer_are_in_the_q_counter) {
  {
    KernelRun run("txonly", stream(0), 1);
    EXPECT_TRUE(wait_until([&] { return read(counters.tx_completed) >= 4 * kDepth; }));
  }
  // The last ones may still be on the wire.
  EXPECT_TRUE(wait_until([&] { return counter.out_of_buffer() >= counters.tx_completed - kDepth; }))
      << counter.out_of_buffer();
}

TEST_F(QueuePair, refused_queue_is_an_error_with_command_and_status) {
  const std::uint32_t unknown_umem = umem.id() + 100;
  try {
    const mlx5::Cq cq(context, {.log_depth = kLogDepth,
                                .uar_page = domain.uar().page_id(),
                                .event_queue = domain.event_queue(),
                                .ring = {unknown_umem, 0, rings.get(), &ring_access},
                                .record = {umem.id(), 0, rings.get(), &ring_access}});
    FAIL() << "was created";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("CREATE_CQ"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("BAD_RES"), std::string::npos) << error.what();
  }
}

TEST(RingArena, too_small_an_arena_is_an_error_and_not_an_overlap) {
  Pages memory = allocate_pages(4096);
  mlx5::DirectAccess access(memory.get());
  mlx5::RingArena arena(1, memory.get(), 4096, access);
  EXPECT_EQ(arena.take(100, 64).offset, 0U);
  EXPECT_EQ(arena.take(100, 64).offset, 128U);
  EXPECT_THROW(arena.take(4096, 64), Error);
  EXPECT_THROW(arena.take(1, 8192), Error);
}

}  // namespace
}  // namespace ringside::test
