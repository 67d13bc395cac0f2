// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A GPU that dies, or is late, under bursts that the CPU has handed to it: EAL, PMD, lcores. Runs
// under `softcx run` on a loop (test_ringside_recovery.py).
#include <gtest/gtest.h>
#include <rte_mempool.h>
#include <sched.h>

#include <memory>
#include <optional>

#include "lib/base/clock.hpp"
#include "lib/dpdk/eal.hpp"
#include "lib/dpdk/eal_arguments.hpp"
#include "lib/runtime/config_check.hpp"
#include "lib/runtime/launch_datapath.hpp"
#include "lib/runtime/system.hpp"
#include "tests/system/faulty_gpu.hpp"

namespace ringside::test {
namespace {

RuntimeConfig launches() {
  RuntimeConfig config;
  config.mempool = MempoolKind::kGpu;
  config.datapath = Datapath::kLaunch;
  config.gpu_launch = GpuLaunch::kPerBurst;
  config.threads_per_block = 1;
  return config;
}

/// All that a data path needs, made once: EAL cannot be started again.
struct World {
  EalArguments arguments = split_eal_arguments(
      {"launch_recovery", "-l", "0-1", "--in-memory", "--no-telemetry", "--vdev=gpu_host0"},
      list_pci_functions());
  Eal eal{arguments.args};
  RuntimeConfig config = launches();
  FaultyGpu gpu{GpuDevice::open(0)};
  std::optional<GpuPool> pool;
  std::vector<std::unique_ptr<Nic>> nics;
  std::vector<std::unique_ptr<EthPort>> ports;

  World() {
    nics.push_back(std::make_unique<Nic>(arguments.nics.at(0),
                                         "dv_flow_en=1,txq_inline_max=0,txq_inline_mpw=0"));
    pool.emplace(gpu,
                 MempoolConfig{
                     .name = "gpu", .mbufs = pool_mbufs(config, 1), .mbuf_size = config.mbuf_size});
    EXPECT_EQ(pool->map_for(EthPort::info(nics[0]->port()).device), std::nullopt);
    ports.push_back(std::make_unique<EthPort>(
        nics[0]->port(), EthPortConfig{.rx_queues = 1,
                                       .tx_queues = 1,
                                       .rx_descriptors = 256,
                                       .tx_descriptors = 256,
                                       .max_packet_length = kDefaultMaxPacketLength,
                                       .promiscuous = true,
                                       .isolated = false,
                                       .pool = pool->mempool()}));
    ports[0]->start();
  }
};

class LaunchRecovery : public testing::Test {
 protected:
  static void SetUpTestSuite() { world = std::make_unique<World>(); }
  static void TearDownTestSuite() {
    // In the order that gives every buffer back: what was dropped by name is in the pool too.
    world->ports.clear();
    EXPECT_TRUE(world->pool->full());
    world.reset();
  }
  void SetUp() override { datapath.emplace(world->config, world->gpu, *world->pool, world->ports); }
  void TearDown() override { datapath.reset(); }

  static FaultyGpu& gpu() { return world->gpu; }

  template <class Done>
  static bool within_seconds(std::uint64_t seconds, Done done) {
    const Deadline deadline = Deadline::after_ms(seconds * 1000);
    while (!done()) {
      if (deadline.passed()) return false;
      sched_yield();
    }
    return true;
  }
  StreamStats stats() { return datapath->stream_stats().at(0); }
  static std::uint64_t cause(const StreamStats& stats, std::string_view name) {
    for (const auto& [cause, packets] : stats.drop_causes) {
      if (cause == name) return packets;
    }
    ADD_FAILURE() << "no cause " << name;
    return 0;
  }
  /// Frames of earlier tests go round, and those that tx_first adds.
  void expect_traffic() {
    datapath->start(io, 1);
    EXPECT_TRUE(within_seconds(5, [&] { return stats().rx_packets > 1000; }));
    EXPECT_EQ(datapath->take_events(), std::vector<std::string>{});
    datapath->stop();
    EXPECT_EQ(stats().dropped, 0U);
  }
  /// Forwards into a GPU that holds what it is given, until it has packets.
  std::shared_ptr<HeldBursts> start_held() {
    expect_traffic();
    auto held = std::make_shared<HeldBursts>();
    gpu().hold_next_bursts(held);
    datapath->start(io, 0);
    EXPECT_TRUE(within_seconds(5, [&] { return stats().rx_packets > 0; }));
    return held;
  }

  static inline std::unique_ptr<World> world;
  const ForwardMode& io = find_forward_mode("io", Datapath::kLaunch);
  std::optional<LaunchDatapath> datapath;
};

TEST_F(LaunchRecovery, a_gpu_that_dies_is_an_event_once_and_its_packets_are_dropped_by_name) {
  const auto held = start_held();
  held->dead = true;
  EXPECT_TRUE(within_seconds(5, [&] {
    const std::vector<std::string> events = datapath->take_events();
    return events == std::vector<std::string>{"kernel 'io' faulted: bad address"};
  }));
  EXPECT_TRUE(datapath->take_events().empty());
  EXPECT_TRUE(datapath->running());
  EXPECT_THROW(datapath->stop(), Error);
  EXPECT_FALSE(datapath->running());
  const StreamStats after = stats();
  EXPECT_EQ(cause(after, "GPU lost"), after.rx_packets);
  EXPECT_EQ(after.dropped, after.rx_packets);
  expect_traffic();
}

TEST_F(LaunchRecovery, packets_that_a_late_gpu_has_are_not_freed_before_it_is_done) {
  const auto held = start_held();
  try {
    datapath->stop();
    ADD_FAILURE() << "stopped";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("port 0 queue 0"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(datapath->running());
  EXPECT_EQ(stats().dropped, 0U);
  held->go = true;
  EXPECT_NO_THROW(datapath->stop());
  EXPECT_FALSE(datapath->running());
  EXPECT_EQ(stats().tx_packets, stats().rx_packets);
  expect_traffic();
}

TEST_F(LaunchRecovery, an_lcore_that_does_not_come_back_is_named_with_what_it_is_at) {
  expect_traffic();
  const auto held = std::make_shared<HeldBursts>();
  held->stuck = true;
  gpu().hold_next_bursts(held);
  datapath->start(io, 0);
  EXPECT_TRUE(within_seconds(5, [&] { return stats().rx_packets > 0; }));
  for (int i = 0; i < 2; ++i) {
    try {
      datapath->stop();
      ADD_FAILURE() << "stopped";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what())
                    .find("lcore 1 does not end: port 0 queue 0, handing a burst to the GPU"),
                std::string::npos)
          << error.what();
    }
    EXPECT_TRUE(datapath->running());
  }
  held->stuck = false;
  held->go = true;
  EXPECT_NO_THROW(datapath->stop());
  EXPECT_EQ(stats().tx_packets, stats().rx_packets);
  expect_traffic();
}

TEST_F(LaunchRecovery, a_first_burst_that_the_gpu_does_not_make_is_an_error_and_gives_all_back) {
  expect_traffic();
  const auto held = std::make_shared<HeldBursts>();
  gpu().hold_next_bursts(held);
  const unsigned before = rte_mempool_avail_count(world->pool->mempool());
  try {
    datapath->start(io, 1);
    ADD_FAILURE() << "started";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("tx_first"), std::string::npos) << error.what();
  }
  EXPECT_EQ(rte_mempool_avail_count(world->pool->mempool()), before);
  EXPECT_FALSE(datapath->running());
  expect_traffic();
}

}  // namespace
}  // namespace ringside::test
