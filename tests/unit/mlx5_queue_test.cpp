// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Rings that a kernel drives on the software NIC, and their way back from an error.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/device/send_queue.hpp"
#include "lib/mlx5/clock_sample.hpp"
#include "tests/unit/queue_pair.hpp"

namespace ringside::test {
namespace {

[[maybe_unused]] const auto* const kLoopPort = testing::AddGlobalTestEnvironment(new LoopPort);

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

TEST_F(QueuePair, send_queue_whose_completion_queue_overran_is_made_anew) {
  for (int failure = 0; failure < 3; ++failure) {
    expect_traffic(kDepth + 5);
    const std::uint32_t number = tx->number();
    spoil_cq_record(tx->handle().cq_record, tx->handle().state->cq_consumed);
    {
      KernelRun run("txonly", stream(0), 1);
      ASSERT_TRUE(wait_until([&] { return tx->completions_overrun(); }));
    }
    EXPECT_NE(tx->in_flight(), 0U) << "what no completion tells of";
    tx->recover();
    EXPECT_FALSE(tx->completions_overrun());
    EXPECT_FALSE(tx->stopped());
    EXPECT_EQ(tx->in_flight(), 0U);
    EXPECT_NE(tx->number(), number);
    EXPECT_EQ(tx->handle().sqn, tx->number());
  }
  expect_traffic(10 * kDepth);
}

TEST_F(QueuePair, receive_queue_whose_completion_queue_overran_is_made_anew) {
  for (int failure = 0; failure < 3; ++failure) {
    expect_traffic(kDepth + 5);
    const std::uint32_t number = rx->number();
    const RxQueueHandle handle = rx->handle();
    spoil_cq_record(handle.cq_record, handle.state->received + handle.cq_offset);
    {
      KernelRun run("txonly", stream(0), 1);
      ASSERT_TRUE(wait_until([&] { return rx->completions_overrun(); }));
    }
    {
      const mlx5::ReceiveRing::Former former = rx->renew();
      EXPECT_NE(rx->number(), number);
      EXPECT_EQ(rx->handle().rqn, rx->number());
      traffic.reset();  // the former queue stays as long as anything leads there
      traffic.emplace(context, rx->number(), transport_domain.number());
    }
    EXPECT_FALSE(rx->completions_overrun());
    EXPECT_FALSE(rx->stopped());
    EXPECT_EQ(rx->handle().cq_offset, 0U);
  }
  expect_traffic(10 * kDepth);
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
  EXPECT_EQ(lone.doorbell_note(), "");
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
  const std::uint32_t unknown_umem = queue_memory.umem_id() + 100;
  try {
    const mlx5::Cq cq = domain.make_cq(kLogDepth, queue_memory.start_of(unknown_umem),
                                       queue_memory.start_of(queue_memory.umem_id()));
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
