// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A machine that maps no doorbell page so that it combines writes.
#include <gtest/gtest.h>

#include "lib/device/send_queue.hpp"
#include "lib/mlx5/uar.hpp"
#include "tests/unit/queue_pair.hpp"

namespace ringside::test {
namespace {

[[maybe_unused]] const auto* const kLoopPort =
    testing::AddGlobalTestEnvironment(new LoopPort(R"("faults": ["no-blueflame"], )"));

TEST_F(QueuePair, queue_for_lone_wqes_goes_by_the_regular_doorbell_and_says_why) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const mlx5::TxQueue lone(domain, arenas, kLogDepth, key.lkey(), mlx5::SendHabit::kLoneWqes);
  EXPECT_EQ(lone.handle().doorbell_kind, DoorbellKind::kRegular);
  const std::string note = lone.doorbell_note();
  for (const char* part :
       {"regular doorbell", "BlueFlame", "mlx5_0", "combines writes", "EOPNOTSUPP"}) {
    EXPECT_NE(note.find(part), std::string::npos) << part << " in: " << note;
  }
  EXPECT_EQ(note.find('\n'), std::string::npos);
  EXPECT_EQ(tx->doorbell_note(), "") << "a queue for batches asked for nothing else";
  ThreadScope thread;
  SendQueue<Sharing::kExclusive> queue(lone.handle());
  for (int i = 0; i < 3; ++i) {
    const TxBatch sent = queue.send(
        thread, 1,
        [&](std::uint32_t) {
          return TxPacket{iova[kDepth], 64};
        },
        kSecond);
    EXPECT_EQ(queue.poll_at(thread, sent.ticket(), kSecond), TxStatus::kOk);
  }
}

TEST(NoBlueFlame, page_says_which_kind_it_is) {
  const mlx5::Context context = mlx5::Context::open(kNicAddress);
  EXPECT_EQ(mlx5::Uar(context).refusal(), "");
  const mlx5::Uar page(context, DoorbellKind::kBlueFlame);
  EXPECT_EQ(page.kind(), DoorbellKind::kRegular);
  EXPECT_NE(page.refusal(), "");
  EXPECT_NE(page.doorbell(), nullptr);
}

}  // namespace
}  // namespace ringside::test
