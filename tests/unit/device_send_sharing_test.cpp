// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Threads, warps and blocks that send by one queue at the same time, against the fake NIC. Each has
// a buffer of its own, which names it.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/send_rig.hpp"

namespace ringside::test {
namespace {

class DeviceSendSharing : public SendTest {
 protected:
  std::uint32_t scopes() const { return GetParam().scopes(); }
  FakeNic::Config config() const { return {.tx_buffers = scopes()}; }
  template <class Body>
  void run(SendRig& rig, bool served, Body body) {
    rig.name_buffers();
    run_scopes(rig, GetParam(), served, body);
  }
};

std::vector<Senders> all_senders() {
  std::vector<Senders> all;
  for (const std::uint32_t threads : {32, 256}) {
    all.push_back({Sharing::kBlock, ScopeKind::kThread, threads});
    all.push_back({Sharing::kGpu, ScopeKind::kThread, threads, 2});
    all.push_back({Sharing::kGpu, ScopeKind::kWarp, threads, 2});
  }
  all.push_back({Sharing::kBlock, ScopeKind::kWarp, 256});
  all.push_back({Sharing::kGpu, ScopeKind::kBlock, 1, 4});
  all.push_back({Sharing::kGpu, ScopeKind::kBlock, 32, 4});
  all.push_back({Sharing::kGpu, ScopeKind::kBlock, 256, 2});
  return all;
}
INSTANTIATE_TEST_SUITE_P(senders, DeviceSendSharing, testing::ValuesIn(all_senders()),
                         name_of_senders);

TEST_P(DeviceSendSharing, nobody_loses_doubles_or_reorders_another_ones_packets) {
  constexpr std::uint32_t kLengths = 200;
  // A barrier of many host threads is slow, and more so under ThreadSanitizer.
  const std::uint32_t batches = GetParam().threads_a_scope() > 32 ? 16 : 4 + 200 / scopes();
  for (const std::uint64_t start : {std::uint64_t{0}, std::uint64_t{0xff80}}) {
    FakeNic::Config with = config();
    with.tx_start = start;
    with.tx_cq_start = (1U << 24) - 40;
    with.batches_ask = false;
    if (scopes() > 64) with.log_tx = with.log_tx_cq = 6;
    SendRig rig(with);
    std::vector<std::uint32_t> posted(scopes());
    run(rig, true, [&](std::uint32_t number, auto& scope, auto& queue) {
      std::uint32_t sequence = 0;
      for (std::uint32_t i = 0; i < batches; ++i) {
        const std::uint32_t count = 1 + (i * 7 + number * 3) % 8;
        const TxBatch batch = queue.send(
            scope, count,
            [&](std::uint32_t packet) {
              return TxPacket{rig.buffer(number), 20 + (sequence + packet) % kLengths};
            },
            kEver, i % 3 == 0 ? TxNotify::last() : TxNotify::none());
        ASSERT_EQ(batch.status, TxStatus::kOk);
        sequence += count;
        if (i % 6 == 0) {
          ASSERT_EQ(queue.poll_at(scope, batch.ticket(), kEver), TxStatus::kOk);
        }
      }
      if (scope.rank() == 0) posted[number] = sequence;
    });
    rig.serve();
    std::vector<std::uint32_t> seen(scopes());
    for (const SentFrame& frame : rig.nic.sent()) {
      const std::uint32_t number = SendRig::name_of(frame);
      ASSERT_EQ(frame.bytes.size(), 20 + seen[number]++ % kLengths) << "of scope " << number;
    }
    EXPECT_EQ(seen, posted);
  }
}

TEST_P(DeviceSendSharing, a_stalled_nic_ends_every_wait) {
  SendRig rig(config());
  std::atomic<std::uint32_t> posted{0};
  run(rig, false, [&](std::uint32_t number, auto& scope, auto& queue) {
    TxStatus status = TxStatus::kOk;
    for (std::uint32_t i = 0; i < 17 && status == TxStatus::kOk; ++i) {
      const auto packet = [&](std::uint32_t) { return TxPacket{rig.buffer(number), 60}; };
      status = queue.send(scope, 1, packet, kSecond / 50).status;
      if (scope.rank() == 0 && status == TxStatus::kOk) ++posted;
    }
    EXPECT_EQ(status, TxStatus::kFull);
  });
  EXPECT_EQ(posted, 16U);
  EXPECT_EQ(rig.nic.read_sends(), 16U);
}

TEST_P(DeviceSendSharing, an_error_stops_everyone) {
  SendRig rig(config());
  std::atomic<std::uint32_t> filled{0};
  const std::uint32_t senders = std::min(scopes(), 4U);
  run(rig, false, [&](std::uint32_t number, auto& scope, auto& queue) {
    const auto packet = [&](std::uint32_t) { return TxPacket{rig.buffer(number), 60}; };
    if (number < senders) {
      EXPECT_EQ(queue.send(scope, 16 / senders, packet, kEver).status, TxStatus::kOk);
      scope.sync();
      if (scope.rank() == 0 && ++filled == senders) {
        rig.nic.read_sends();
        rig.nic.complete_sends(2);
        rig.nic.fail_send(0x02);
      }
    }
    const auto all_filled = [&] { return filled.load() >= senders; };
    ASSERT_TRUE(step_scope_until(scope, all_filled, [] {}));
    EXPECT_EQ(queue.send(scope, 16, packet, kEver).status, TxStatus::kStopped);
    EXPECT_EQ(queue.stop_error().syndrome, 0x02);
  });
}

TEST_P(DeviceSendSharing, each_cqe_is_taken_by_one_only) {
  FakeNic::Config with = config();
  SendRig rig(with);
  std::atomic<std::uint32_t> taken{0};
  std::atomic<std::uint32_t> posted{0};
  run(rig, true, [&](std::uint32_t number, auto& scope, auto& queue) {
    if (number == 0) {
      const auto packet = [&](std::uint32_t) { return TxPacket{rig.buffer(0), 60}; };
      for (std::uint32_t i = 0; i < 16; ++i) {
        ASSERT_EQ(queue.send(scope, 1, packet, 0).status, TxStatus::kOk);
      }
      scope.sync();
      if (scope.rank() == 0) posted = 16;
    }
    const auto take_one = [&] {
      const TxStatus status = queue.poll_one(scope, 0);
      if (status == TxStatus::kOk && scope.rank() == 0) ++taken;
    };
    EXPECT_TRUE(step_scope_until(
        scope, [&] { return queue.completed() >= 16; }, take_one));
  });
  EXPECT_EQ(posted, 16U);
  EXPECT_EQ(taken, 16U);
}

}  // namespace
}  // namespace ringside::test
