// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A stream's packets through a GPU whose every answer the test gives itself.
#include "lib/runtime/burst_flow.hpp"

#include <gtest/gtest.h>
#include <rte_bus_vdev.h>
#include <rte_mbuf.h>

#include <algorithm>
#include <deque>
#include <optional>

#include "lib/dpdk/mempool.hpp"
#include "tests/unit/eal_environment.hpp"

namespace ringside {
namespace {

constexpr std::uint16_t kBurst = 4;
constexpr std::uint32_t kPlaces = 3;

/// Numbered packets without end, and a send queue with room for some.
class FakeQueues final : public PacketQueues {
 public:
  explicit FakeQueues(Mempool& pool) : pool_(pool) {}

  std::uint16_t receive(std::span<rte_mbuf*> mbufs) noexcept override {
    const std::size_t count = std::min(mbufs.size(), waiting);
    if (rte_pktmbuf_alloc_bulk(pool_.get(), mbufs.data(), static_cast<unsigned>(count)) != 0) {
      return 0;
    }
    for (rte_mbuf* mbuf : mbufs.first(count)) {
      mbuf->pkt_len = mbuf->data_len = static_cast<std::uint16_t>(++received);
    }
    waiting -= count;
    return static_cast<std::uint16_t>(count);
  }
  std::uint16_t send(std::span<rte_mbuf*> mbufs) noexcept override {
    const std::size_t count = std::min(mbufs.size(), room);
    for (rte_mbuf* mbuf : mbufs.first(count)) {
      sent.push_back(mbuf->pkt_len);
      rte_pktmbuf_free(mbuf);
    }
    room -= count;
    return static_cast<std::uint16_t>(count);
  }

  std::size_t waiting = 0;  ///< packets
  std::size_t room = 1000;
  std::uint32_t received = 0;
  std::vector<std::uint32_t> sent;

 private:
  Mempool& pool_;
};

/// A GPU that finishes a burst when it is told to, and then drops what the test says.
class FakeRun final : public BurstRun {
 public:
  void enter_thread() noexcept override {}
  bool launch(std::size_t, std::uint32_t place) noexcept override {
    if (refuses) return false;
    launched.push_back(place);
    return true;
  }
  std::string fault() const override { return {}; }

  /// `verdict(packet's place in its burst)`
  template <class Judge>
  void finish_one(const BurstLaneArgs& lane, Judge verdict) {
    const BurstArgs& burst = lane.places[launched.front()];
    launched.pop_front();
    for (std::uint32_t i = 0; i < kBurst; ++i) burst.verdicts[i] = verdict(i);
    std::atomic_ref(*burst.state).store(BurstState::kDone, std::memory_order_release);
  }

  std::deque<std::uint32_t> launched;
  bool refuses = false;
};

class BurstFlowTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(rte_vdev_init("gpu_host0", "memory=16M"), 0);
    gpu_ = GpuDevice::open(0);
    pool_ = Mempool({.name = "flow", .mbufs = 255, .mbuf_size = 512});
    queues_.emplace(pool_);
    places_.emplace(
        *gpu_,
        BurstPlacesConfig{.count = kPlaces, .capacity = kBurst, .view_offset = 0, .program = {}});
    lane_args_ = places_->lane_args();
    lane_.emplace(*places_, run_, 0, true);
    flow_.emplace(*lane_, *queues_, counters_, kBurst);
  }
  void TearDown() override {
    EXPECT_TRUE(flow_->empty());
    EXPECT_TRUE(pool_.full()) << "a packet was lost";
    const std::uint64_t ends = counters_.tx_packets.value() + counters_.consumed.value() +
                               counters_.dropped_by_program.value() +
                               counters_.dropped_send_full.value() +
                               counters_.dropped_gpu_lost.value();
    EXPECT_EQ(ends, queues_->received);
    places_.reset();
    gpu_.reset();
    EXPECT_EQ(rte_vdev_uninit("gpu_host0"), 0);
  }

  void finish_one(Verdict verdict = Verdict::kSend) {
    run_.finish_one(lane_args_, [verdict](std::uint32_t) { return verdict; });
  }
  /// Serves until nothing moves.
  void settle() {
    while (flow_->serve()) {
    }
  }
  std::vector<std::uint32_t> sent() const { return queues_->sent; }
  static Deadline now() { return Deadline::after_ms(0); }

  std::unique_ptr<GpuDevice> gpu_;
  Mempool pool_;
  FakeRun run_;
  PmdCounters counters_;
  std::optional<FakeQueues> queues_;
  std::optional<PinnedPlaces> places_;
  BurstLaneArgs lane_args_{};
  std::optional<BurstLane> lane_;
  std::optional<BurstFlow> flow_;
};

TEST_F(BurstFlowTest, bursts_are_in_flight_together_and_no_more_than_there_are_places) {
  queues_->waiting = 100;
  settle();
  EXPECT_EQ(run_.launched, (std::deque<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(queues_->received, kPlaces * kBurst);
  queues_->waiting = 0;
  for (std::uint32_t i = 0; i < kPlaces; ++i) finish_one();
  settle();
  EXPECT_EQ(sent(), (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(counters_.tx_bytes.value(), 78U);
}

TEST_F(BurstFlowTest, what_there_is_makes_a_burst_for_an_idle_gpu) {
  queues_->waiting = 3;
  settle();
  EXPECT_EQ(run_.launched.size(), 1U);
  finish_one();
  settle();
  EXPECT_EQ(sent().size(), 3U);
}

TEST_F(BurstFlowTest, a_burst_fills_up_while_the_gpu_has_another) {
  queues_->waiting = 1;
  settle();
  for (std::uint32_t more = 1; more < kBurst; ++more) {
    queues_->waiting = 1;
    settle();
    EXPECT_EQ(run_.launched.size(), 1U);
  }
  finish_one();
  settle();  // now it has none
  EXPECT_EQ(run_.launched.size(), 1U);
  finish_one();
  settle();
  EXPECT_EQ(sent(), (std::vector<std::uint32_t>{1, 2, 3, 4}));
}

TEST_F(BurstFlowTest, a_drain_hands_over_what_has_not_filled_a_burst) {
  queues_->waiting = 5;
  settle();
  EXPECT_EQ(run_.launched.size(), 1U);
  flow_->drain(Deadline::after_ms(1));
  EXPECT_EQ(run_.launched.size(), 2U);
  finish_one();
  finish_one();
  flow_->drain(Deadline::after_ms(10'000));
  EXPECT_EQ(sent().size(), 5U);
}

TEST_F(BurstFlowTest, verdicts_are_kept_to) {
  queues_->waiting = 4;
  settle();
  run_.finish_one(lane_args_, [](std::uint32_t i) {
    constexpr Verdict kVerdicts[] = {Verdict::kDrop, Verdict::kSend, Verdict::kConsume,
                                     Verdict::kSend};
    return kVerdicts[i];
  });
  settle();
  EXPECT_EQ(sent(), (std::vector<std::uint32_t>{2, 4}));
  EXPECT_EQ(counters_.dropped_by_program.value(), 1U);
  EXPECT_EQ(counters_.consumed.value(), 1U);
}

TEST_F(BurstFlowTest, a_full_send_queue_holds_packets_back_and_drops_none) {
  queues_->waiting = 100;
  queues_->room = 2;
  settle();
  finish_one();
  settle();
  EXPECT_EQ(sent().size(), 2U);
  finish_one();  // must not overtake
  settle();
  EXPECT_EQ(sent().size(), 2U);
  queues_->room = 1000;
  queues_->waiting = 0;
  settle();
  EXPECT_EQ(sent(), (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  while (!run_.launched.empty()) finish_one();
  settle();
  EXPECT_EQ(counters_.dropped_send_full.value(), 0U);
}

TEST_F(BurstFlowTest, a_drain_sends_what_is_done_and_receives_nothing) {
  queues_->waiting = 100;
  flow_->serve();
  finish_one();
  flow_->drain(Deadline::after_ms(10'000));
  EXPECT_EQ(sent().size(), 4U);
  EXPECT_EQ(queues_->received, 4U);
}

TEST_F(BurstFlowTest, a_drain_ends_though_the_send_queue_is_stuck) {
  queues_->waiting = 4;
  queues_->room = 1;
  settle();
  finish_one();
  flow_->drain(Deadline::after_ms(5));
  EXPECT_EQ(counters_.dropped_send_full.value(), 3U);
}

TEST_F(BurstFlowTest, a_drain_leaves_nothing_that_waited_behind_a_stuck_burst) {
  queues_->waiting = kPlaces * kBurst;
  queues_->room = 1;
  settle();
  for (std::uint32_t i = 0; i < kPlaces; ++i) finish_one();
  flow_->drain(Deadline::after_ms(5));
  EXPECT_TRUE(flow_->empty());
  EXPECT_EQ(counters_.dropped_send_full.value(), kPlaces * kBurst - 1);
}

TEST_F(BurstFlowTest, what_the_gpu_does_not_give_back_stays_in_hand) {
  queues_->waiting = 8;
  settle();
  finish_one();
  flow_->drain(now());
  flow_->drain(Deadline::after_ms(5));
  EXPECT_FALSE(flow_->empty());
  flow_->give_up();  // it is dead
  EXPECT_EQ(counters_.tx_packets.value() + counters_.dropped_send_full.value(), 4U);
  EXPECT_EQ(counters_.dropped_gpu_lost.value(), 4U);
  lane_->retire();
}

TEST_F(BurstFlowTest, a_gpu_that_refuses_costs_one_burst_and_ends_receiving) {
  queues_->waiting = 100;
  run_.refuses = true;
  settle();
  EXPECT_TRUE(flow_->refused());
  EXPECT_EQ(queues_->received, 4U);
  EXPECT_EQ(counters_.dropped_gpu_lost.value(), 4U);
}

}  // namespace
}  // namespace ringside
