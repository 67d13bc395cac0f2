// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Threads, warps and blocks that send by one queue at the same time, against the fake NIC.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/unit/sharing_run.hpp"

namespace ringside::test {
namespace {

class DeviceSendSharing : public SendTest {
 protected:
  std::uint32_t scopes() const { return GetParam().scopes(); }
  FakeNic::Config config() const { return {.tx_buffers = scopes()}; }
  /// Host threads take long where many find no room in a small ring.
  bool ring_may_be_small() const { return kLanesComeTogether || scopes() <= 64; }
  /// A barrier of many host threads is slow, and more so under ThreadSanitizer.
  std::uint32_t calls() const {
    return GetParam().threads_a_scope() >= 32 && !kLanesComeTogether ? 16 : 4 + 200 / scopes();
  }
};

std::vector<Senders> all_senders() {
  std::vector<Senders> all;
  for (const std::uint32_t threads : {32, 256}) {
    all.push_back({Sharing::kBlock, ScopeKind::kThread, threads});
    all.push_back({Sharing::kGpu, ScopeKind::kThread, threads, 2});
    all.push_back({Sharing::kGpu, ScopeKind::kWarp, threads, 2});
  }
  all.push_back({Sharing::kGpu, ScopeKind::kThread, 32});
  all.push_back({Sharing::kGpu, ScopeKind::kThread, 64, 4});
  all.push_back({Sharing::kBlock, ScopeKind::kWarp, 256});
  all.push_back({Sharing::kGpu, ScopeKind::kBlock, 1, 4});
  all.push_back({Sharing::kGpu, ScopeKind::kBlock, 32, 4});
  all.push_back({Sharing::kGpu, ScopeKind::kBlock, 256, 2});
  return all;
}
INSTANTIATE_TEST_SUITE_P(senders, DeviceSendSharing, testing::ValuesIn(all_senders()),
                         name_of_senders);

/// How scopes send, and by which ring.
struct Way {
  Counts counts;
  std::uint32_t log_depth;
  std::uint64_t start;  ///< index of the first WQE
};
constexpr std::uint64_t kBeforeItWraps = 0xff80;

TEST_P(DeviceSendSharing, nobody_loses_doubles_or_reorders_another_ones_packets) {
  for (const Way& way : {Way{Counts::kUnlike, 4, 0}, Way{Counts::kUnlike, 6, kBeforeItWraps},
                         Way{Counts::kAlike, 4, kBeforeItWraps}, Way{Counts::kAlike, 9, 0},
                         Way{Counts::kSomeNone, 6, kBeforeItWraps}}) {
    if (way.log_depth < 6 && !ring_may_be_small()) continue;
    if (way.log_depth > 6 && !kLanesComeTogether) continue;  // for lanes that reserve together
    FakeNic::Config with = config();
    with.log_tx = with.log_tx_cq = way.log_depth;
    with.tx_start = way.start;
    with.tx_cq_start = (1U << 24) - 40;
    with.batches_ask = false;
    SendRig rig(with);
    SharingScopes sharing(rig, GetParam());
    sharing.run<SendsInTurn>({.counts = way.counts, .calls = calls(), .depth = 1U << way.log_depth},
                             [&] { rig.serve(); });
    rig.serve();
    std::vector<std::uint32_t> seen(scopes());
    for (const SentFrame& frame : rig.nic.sent()) {
      const std::uint32_t number = SendRig::name_of(frame);
      ASSERT_EQ(frame.bytes.size(), SharingOrders::length(seen[number]++)) << "scope " << number;
    }
    for (std::uint32_t i = 0; i < scopes(); ++i) EXPECT_EQ(seen[i], sharing.sent(i));
  }
}

TEST_P(DeviceSendSharing, blocks_that_count_tell_what_the_nic_has_sent) {
  constexpr std::uint32_t kDepth = 512;
  FakeNic::Config with = config();
  with.log_tx = with.log_tx_cq = 9;
  with.batches_ask = false;
  SendRig rig(with);
  SharingScopes sharing(rig, GetParam());
  sharing.run<CountsItsSends>({.counts = Counts::kAlike, .calls = 4, .depth = kDepth},
                              [&] { rig.serve(); });
  rig.serve();
  std::uint64_t bytes = 0;
  for (const SentFrame& frame : rig.nic.sent()) bytes += frame.bytes.size();
  const QueueCounters counted = sharing.counted();
  EXPECT_EQ(counted.packets, rig.nic.sent().size());
  EXPECT_EQ(counted.packets, sharing.all_sent());
  EXPECT_EQ(counted.bytes, bytes);
  EXPECT_EQ(counted.batches, 4 * scopes());
  EXPECT_GE(counted.doorbells, rig.nic.doorbells());  // the NIC sees the last of several
  EXPECT_LE(counted.doorbells, counted.batches);
  // Lanes that begin together send together.
  if (kLanesComeTogether && GetParam().scope == ScopeKind::kThread) {
    EXPECT_LE(counted.doorbells, counted.batches / 2);
  }
}

TEST_P(DeviceSendSharing, batches_go_in_the_order_of_their_slots_whoever_commits_first) {
  SendRig rig(config());
  rig.name_buffers();
  std::atomic<std::uint32_t> reserved{0};
  std::atomic<bool> first_commits{false};
  run_scopes(rig, GetParam(), false, [&](std::uint32_t number, auto& scope, auto& queue) {
    if (number > 1) return;
    const auto have_reserved = [&](std::uint32_t scopes) {
      return step_scope_until(
          scope, [&] { return reserved == scopes; }, [] {});
    };
    ASSERT_TRUE(have_reserved(number));
    const TxBatch batch = queue.reserve(scope, 2, kEver);
    ASSERT_EQ(batch.status, TxStatus::kOk);
    for (std::uint32_t i = scope.rank(); i < batch.count; i += scope.size()) {
      queue.write(batch, i, {rig.buffer(number), 60});
    }
    if (scope.rank() == 0) ++reserved;
    if (number == 0) {
      ASSERT_TRUE(have_reserved(2));
      if (scope.rank() == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        EXPECT_EQ(rig.nic.read_sends(), 0U);
        first_commits = true;
      }
    }
    queue.commit(scope, batch);
    if (scope.rank() == scope.size() - 1) {
      EXPECT_TRUE(first_commits);
    }
  });
  EXPECT_EQ(rig.nic.read_sends(), 4U);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(SendRig::name_of(rig.nic.sent()[i]), i / 2);
}

TEST_P(DeviceSendSharing, a_stalled_nic_ends_every_wait) {
  for (const std::uint32_t log_depth : {4, 9}) {
    if (log_depth > 4 && !kLanesComeTogether) continue;  // what lanes reserve together
    FakeNic::Config with = config();
    with.log_tx = with.log_tx_cq = log_depth;
    SendRig rig(with);
    SharingScopes sharing(rig, GetParam());
    sharing.run<FillsTheRing>({.depth = 1U << log_depth}, [] {});
    EXPECT_EQ(sharing.all_sent(), 1U << log_depth);
    EXPECT_EQ(rig.nic.read_sends(), 1U << log_depth);
  }
}

TEST_P(DeviceSendSharing, an_error_stops_everyone) {
  SendRig rig(config());
  SharingScopes sharing(rig, GetParam());
  bool failed = false;
  sharing.run<SendsUntilItStops>({.depth = 16}, [&] {
    if (failed || sharing.all_sent() < 16) return;
    rig.nic.read_sends();
    rig.nic.complete_sends(2);
    rig.nic.fail_send(SendsUntilItStops::kSyndrome);
    failed = true;
    sharing.go();
  });
  EXPECT_TRUE(failed);
}

TEST_P(DeviceSendSharing, each_cqe_is_taken_by_one_only) {
  SendRig rig(config());
  SharingScopes sharing(rig, GetParam());
  sharing.run<TakesCqes>({.depth = 16}, [&] { rig.serve(); });
  EXPECT_EQ(sharing.all_sent(), 16U);
  EXPECT_EQ(sharing.all_taken(), 16U);
}

}  // namespace
}  // namespace ringside::test
