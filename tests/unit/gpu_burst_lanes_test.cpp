// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Bursts of mbufs through the GPU made of host threads, in each way that they can reach it.
#include <gtest/gtest.h>
#include <rte_bus_vdev.h>
#include <rte_mbuf.h>

#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/base/error.hpp"
#include "lib/gpu/burst_lanes.hpp"
#include "lib/gpu/gpu_pool.hpp"
#include "tests/unit/eal_environment.hpp"

namespace ringside {
namespace {

constexpr std::uint32_t kBurst = 16;
constexpr std::uint32_t kFrame = 60;

using Way = std::tuple<BurstLaunch, const char*, std::uint32_t>;

class GpuBurstLanes : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    ASSERT_EQ(rte_vdev_init("gpu_host0", std::get<1>(GetParam())), 0);
    gpu_ = GpuDevice::open(0);
    pool_.emplace(*gpu_, MempoolConfig{.name = "packets", .mbufs = 512, .mbuf_size = 2176});
  }
  void TearDown() override {
    pool_.reset();
    gpu_.reset();
    EXPECT_EQ(rte_vdev_uninit("gpu_host0"), 0);
  }

  std::unique_ptr<BurstLanes> make_lanes(const char* kernel, std::size_t lanes) {
    return std::make_unique<BurstLanes>(
        *gpu_, BurstLanesConfig{.launch = std::get<0>(GetParam()),
                                .kernel = kernel,
                                .threads_per_block = std::get<2>(GetParam()),
                                .burst = kBurst,
                                .view_offset = pool_->memory().view_offset(),
                                .programs = std::vector<ProgramArgs>(lanes),
                                .cpus = {}});
  }

  /// Where the GPU has a packet's data.
  std::uint8_t* seen(rte_mbuf* mbuf) const {
    return rte_pktmbuf_mtod(mbuf, std::uint8_t*) + pool_->memory().view_offset();
  }

  /// Frames whose source address begins with a number.
  std::vector<rte_mbuf*> make_burst(std::uint8_t number, std::size_t count = kBurst) {
    std::vector<rte_mbuf*> mbufs = pool_->take(count);
    for (rte_mbuf* mbuf : mbufs) {
      mbuf->data_len = kFrame;
      mbuf->pkt_len = kFrame;
      std::memset(seen(mbuf), 0, kFrame);
      seen(mbuf)[6] = number;
    }
    return mbufs;
  }

  static const Verdict* wait_for_verdicts(const BurstLane& lane) {
    const Deadline deadline = Deadline::after_ms(10'000);
    const Verdict* verdicts = nullptr;
    while ((verdicts = lane.verdicts()) == nullptr && !deadline.passed()) sched_yield();
    return verdicts;
  }

  std::unique_ptr<GpuDevice> gpu_;
  std::optional<GpuPool> pool_;
};
INSTANTIATE_TEST_SUITE_P(ways, GpuBurstLanes,
                         testing::Combine(testing::Values(BurstLaunch::kKernel, BurstLaunch::kGraph,
                                                          BurstLaunch::kResident),
                                          testing::Values("memory=16M", "memory=16M,opaque=1"),
                                          testing::Values(1U, 4U)));

TEST_P(GpuBurstLanes, bursts_in_flight_come_back_in_order) {
  const auto lanes = make_lanes("macswap", 1);
  BurstLane& lane = (*lanes)[0];
  lane.enter_thread();
  std::uint8_t next = 1;
  std::uint8_t expected = 1;
  std::vector<std::vector<rte_mbuf*>> in_flight;
  while (expected < 100) {
    while (!lane.full() && next < 100) {
      in_flight.push_back(make_burst(next++));
      ASSERT_TRUE(lane.submit(in_flight.back()));
    }
    const Verdict* verdicts = wait_for_verdicts(lane);
    ASSERT_NE(verdicts, nullptr);
    for (std::size_t i = 0; i < kBurst; ++i) {
      ASSERT_EQ(verdicts[i], Verdict::kSend);
      ASSERT_EQ(seen(in_flight.front()[i])[0], expected);
    }
    lane.retire();
    pool_->give_back(in_flight.front());
    in_flight.erase(in_flight.begin());
    ++expected;
  }
  EXPECT_TRUE(lane.empty());
  EXPECT_EQ(lanes->fault(), "");
}

TEST_P(GpuBurstLanes, a_short_burst_after_a_full_one_is_no_longer_than_it_says) {
  const auto lanes = make_lanes("macswap", 1);
  BurstLane& lane = (*lanes)[0];
  const std::vector<rte_mbuf*> old = make_burst(1);
  const std::vector<rte_mbuf*> few = make_burst(2, 3);
  // As often as there are places, so that the short one lies where a full one was.
  for (std::uint32_t i = 0; i < kMaxBurstPlaces; ++i) {
    ASSERT_TRUE(lane.submit(old));
    ASSERT_NE(wait_for_verdicts(lane), nullptr);
    lane.retire();
  }
  const std::uint8_t before = seen(old[5])[0];
  ASSERT_TRUE(lane.submit(few));
  ASSERT_NE(wait_for_verdicts(lane), nullptr);
  lane.retire();
  EXPECT_EQ(seen(few[2])[0], 2);
  EXPECT_EQ(seen(old[5])[0], before);
  pool_->give_back(old);
  pool_->give_back(few);
}

TEST_P(GpuBurstLanes, a_burst_with_a_chained_packet_is_not_taken_and_leaves_its_place_free) {
  const auto lanes = make_lanes("macswap", 1);
  BurstLane& lane = (*lanes)[0];
  lane.enter_thread();
  const std::vector<rte_mbuf*> mbufs = make_burst(1);
  rte_mbuf* const second = pool_->take(1)[0];
  second->data_len = kFrame;
  ASSERT_EQ(rte_pktmbuf_chain(mbufs[5], second), 0);
  EXPECT_FALSE(lane.submit(mbufs));
  EXPECT_TRUE(lane.empty());
  // The place that it was refused takes the next one, and nothing of the refused one is left in it.
  const std::vector<rte_mbuf*> few = make_burst(2, 3);
  ASSERT_TRUE(lane.submit(few));
  ASSERT_NE(wait_for_verdicts(lane), nullptr);
  lane.retire();
  EXPECT_EQ(seen(few[2])[0], 2);
  EXPECT_EQ(seen(mbufs[4])[0], 0);
  pool_->give_back(mbufs);
  pool_->give_back(few);
}

TEST_P(GpuBurstLanes, lanes_do_not_wait_for_each_other) {
  const auto lanes = make_lanes("rxonly", 3);
  const std::vector<rte_mbuf*> mbufs = make_burst(1);
  for (const std::size_t lane : {2, 0, 1}) {
    ASSERT_TRUE((*lanes)[lane].submit(mbufs));
    const Verdict* verdicts = wait_for_verdicts((*lanes)[lane]);
    ASSERT_NE(verdicts, nullptr);
    EXPECT_EQ(verdicts[kBurst - 1], Verdict::kConsume);
    (*lanes)[lane].retire();
  }
  pool_->give_back(mbufs);
}

TEST_P(GpuBurstLanes, a_lane_is_full_with_as_many_bursts_as_it_has_places) {
  const auto lanes = make_lanes("io", 1);
  const std::vector<rte_mbuf*> mbufs = make_burst(1);
  for (std::uint32_t i = 0; i < kMaxBurstPlaces; ++i) {
    EXPECT_FALSE((*lanes)[0].full());
    ASSERT_TRUE((*lanes)[0].submit(mbufs));
  }
  EXPECT_TRUE((*lanes)[0].full());
  pool_->give_back(mbufs);
}

TEST_P(GpuBurstLanes, memory_is_given_back_and_the_kernel_ended) {
  make_lanes("io", 2).reset();
  GpuMemory all = gpu_->allocate(8 << 20, 64);  // what is left beside the packets
  EXPECT_NE(all.data(), nullptr);
}

TEST_P(GpuBurstLanes, unknown_kernels_are_named) {
  try {
    make_lanes("route", 1);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_NE(std::string(error.what()).find("'route'"), std::string::npos) << error.what();
  }
}

TEST_P(GpuBurstLanes, a_program_that_keeps_state_is_refused) {
  try {
    make_lanes("pipeline", 1);
    FAIL() << "taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string_view(error.what()).find("'pipeline' does not run on bursts"),
              std::string_view::npos)
        << error.what();
  }
  EXPECT_EQ(make_lanes("io", 1)->fault(), "");
}

}  // namespace
}  // namespace ringside
