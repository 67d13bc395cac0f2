// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Streams, kernels and ports that an error stops, on the whole GPU data path: EAL, PMD, rules,
// rings, kernels. Runs under `softcx run` on a loop (test_ringside_recovery.py).
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <rte_errno.h>
#include <rte_flow.h>
#include <rte_pmd_mlx5.h>
#include <sched.h>

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "kernels/pipeline_args.hpp"
#include "lib/base/clock.hpp"
#include "lib/dpdk/eal.hpp"
#include "lib/dpdk/eal_arguments.hpp"
#include "lib/runtime/config_check.hpp"
#include "lib/runtime/gpu_datapath.hpp"
#include "lib/runtime/system.hpp"
#include "tests/system/faulty_gpu.hpp"

namespace ringside::test {
namespace {

// The PMD refuses the next one.
bool refuse_mapping = false;
bool refuse_rule = false;

}  // namespace

// In front of DPDK's.
extern "C" int rte_pmd_mlx5_external_rx_queue_id_map(std::uint16_t port, std::uint16_t id,
                                                     std::uint32_t rqn) {
  static const auto map = reinterpret_cast<decltype(&rte_pmd_mlx5_external_rx_queue_id_map)>(
      ::dlsym(RTLD_NEXT, "rte_pmd_mlx5_external_rx_queue_id_map"));
  if (!std::exchange(refuse_mapping, false)) return map(port, id, rqn);
  rte_errno = ENOMEM;
  return -1;
}
extern "C" rte_flow* rte_flow_create(std::uint16_t port, const rte_flow_attr* attributes,
                                     const rte_flow_item* pattern, const rte_flow_action* actions,
                                     rte_flow_error* error) {
  static const auto create =
      reinterpret_cast<decltype(&rte_flow_create)>(::dlsym(RTLD_NEXT, "rte_flow_create"));
  if (!std::exchange(refuse_rule, false)) return create(port, attributes, pattern, actions, error);
  rte_errno = ENOMEM;
  return nullptr;
}

namespace {

RuntimeConfig two_queues() {
  RuntimeConfig config;
  config.mempool = MempoolKind::kGpu;
  config.rx_queues = config.tx_queues = 2;
  config.threads_per_block = 1;
  config.blocks_per_stream = 2;
  return config;
}

template <class Done>
bool within_seconds(std::uint64_t seconds, Done done) {
  const Deadline deadline = Deadline::after_ms(seconds * 1000);
  while (!done()) {
    if (deadline.passed()) return false;
    sched_yield();
  }
  return true;
}

/// All that a data path needs, made once: EAL cannot be started again.
struct World {
  EalArguments arguments = split_eal_arguments(
      {"stream_recovery", "-l", "0-1", "--in-memory", "--no-telemetry", "--vdev=gpu_host0"},
      list_pci_functions());
  Eal eal{arguments.args};
  RuntimeConfig config = two_queues();
  FaultyGpu gpu{GpuDevice::open(0)};
  std::vector<std::unique_ptr<Nic>> nics;
  std::optional<GpuPool> pool;
  std::optional<Mempool> idle;
  std::vector<std::unique_ptr<EthPort>> ports;

  World() {
    nics.push_back(std::make_unique<Nic>(arguments.nics.at(0), "dv_flow_en=1"));
    pool.emplace(gpu,
                 MempoolConfig{
                     .name = "gpu", .mbufs = pool_mbufs(config, 1), .mbuf_size = config.mbuf_size});
    idle.emplace(MempoolConfig{.name = "host", .mbufs = 255, .mbuf_size = config.mbuf_size});
    ports.push_back(std::make_unique<EthPort>(
        nics[0]->port(), EthPortConfig{.rx_queues = 1,
                                       .tx_queues = 1,
                                       .rx_descriptors = 64,
                                       .tx_descriptors = 64,
                                       .max_packet_length = kDefaultMaxPacketLength,
                                       .promiscuous = false,
                                       .isolated = true,
                                       .pool = idle->get()}));
  }
};

/// What a block of a pipeline's kernel is given: a chain of one stage, which leads all packets
/// `to`.
struct OneStage {
  explicit OneStage(stages::Target to) {
    chain.stages = 1;
    chain.stage[0].on = chain.stage[0].otherwise = to;
    args.control = &control;
    args.status = &status;
    args.counters = &counters;
    args.counters_here = &counters_here;
    args.words = &word;
    args.ring_here = &ring;
  }
  stages::Chain chain{};
  PipelineControl control{&chain};
  PipelineStatus status{};
  stages::StageCounters counters{}, counters_here{};
  std::uint64_t word = 0;
  stages::SampleRingState ring{};
  PipelineArgs args{};
};

class StreamRecovery : public testing::Test {
 protected:
  static void SetUpTestSuite() { world = std::make_unique<World>(); }
  static void TearDownTestSuite() { world.reset(); }

  void SetUp() override {
    datapath.emplace(world->config, std::vector<GpuHome>{{world->gpu, *world->pool}}, world->nics,
                     world->ports);
    start_steered(port(), *datapath);
  }
  void TearDown() override {
    datapath->port_stopping(port().id());
    port().stop();
    datapath.reset();
    EXPECT_TRUE(world->pool->full());
  }

  static EthPort& port() { return *world->ports.front(); }
  static FaultyGpu& gpu() { return world->gpu; }

  std::vector<std::string> await_events(std::size_t count) {
    std::vector<std::string> events;
    EXPECT_TRUE(within_seconds(5, [&] {
      for (std::string& event : datapath->take_events()) events.push_back(std::move(event));
      return events.size() >= count;
    }));
    return events;
  }
  void expect_traffic() {
    datapath->start(io, 1);
    const std::uint64_t before = datapath->port_stats(port().id()).rx_packets;
    EXPECT_TRUE(within_seconds(
        5, [&] { return datapath->port_stats(port().id()).rx_packets > before + 10 * 1024; }));
    EXPECT_EQ(datapath->take_events(), std::vector<std::string>{});
    datapath->stop();
    for (const StreamStats& stream : datapath->stream_stats()) EXPECT_EQ(stream.error, "");
  }

  /// Two kernels, one behind the other, with frames that wait in the receive queues. `fault`: of
  /// the second one.
  void start_two_kernels(const FaultyGpu::Fault& fault = {},
                         const std::string& second = "pipeline_last") {
    datapath->start(find_forward_mode("txonly", Datapath::kGpu), 0);
    EXPECT_TRUE(within_seconds(
        5, [&] { return datapath->port_stats(port().id()).tx_packets > 10 * 1024; }));
    datapath->stop();
    gpu().spoil_next_launch([&fault](auto&) { gpu().spoil_next_launch(fault); });
    datapath->start_programs(
        {{"pipeline_first", 1, {{0, &first[0].args, 0}, {1, &first[1].args, 0}}},
         {second, 1, {{0, &last[0].args, kRing}, {1, &last[1].args, kRing}}}});
  }
  StreamStats sum() {
    StreamStats all{};
    for (const StreamStats& stream : datapath->stream_stats()) {
      all.rx_packets += stream.rx_packets;
      all.tx_packets += stream.tx_packets;
      all.dropped += stream.dropped;
    }
    EXPECT_EQ(all.rx_packets, all.tx_packets + all.dropped);
    return all;
  }

  std::uint64_t received() {
    std::uint64_t all = 0;
    for (const StreamStats& stream : datapath->stream_stats()) all += stream.rx_packets;
    return all;
  }

  static constexpr std::uint32_t kRing = 64;
  std::array<OneStage, 2> first{OneStage(stages::kNextTarget), OneStage(stages::kNextTarget)};
  std::array<OneStage, 2> last{OneStage(stages::kSendTarget), OneStage(stages::kSendTarget)};

  static inline std::unique_ptr<World> world;
  const ForwardMode& io = find_forward_mode("io", Datapath::kGpu);
  std::optional<GpuDatapath> datapath;
};

TEST_F(StreamRecovery, stopped_stream_is_named_and_the_next_start_recovers_it) {
  for (int failure = 0; failure < 3; ++failure) {
    gpu().spoil_next_launch([](auto& streams) { streams.front().tx.lkey += 0x100; });
    datapath->start(io, 1);
    const std::vector<std::string> events = await_events(1);
    ASSERT_EQ(events.size(), 1U);
    for (const char* part : {"port 0 queue 0", "send queue", "LOCAL_PROTECTION_ERR"}) {
      EXPECT_NE(events[0].find(part), std::string::npos) << part << " in: " << events[0];
    }
    datapath->stop();
    const StreamStats stopped = datapath->stream_stats().at(0);
    EXPECT_FALSE(stopped.error.empty());
    EXPECT_EQ(stopped.tx_errors, stopped.dropped);
    EXPECT_GE(stopped.tx_errors, 1U);
    EXPECT_EQ(stopped.tx_bytes, 64 * stopped.tx_packets);
    expect_traffic();
  }
}

/// The last frame of a burst lies where no key reaches, and those before it arrive at receive WQEs
/// with a wrong key: both of a stream's queues stop, whichever its block sees first.
TEST_F(StreamRecovery, both_queues_of_a_stream_may_stop) {
  static std::array<std::uint8_t, 2048> unregistered;
  struct Spoilt {
    std::uint64_t* iova;
    std::uint64_t good_iova;
    DataSegment* ring;
    std::uint32_t depth;
    Be32 good_key;
  };
  for (int failure = 0; failure < 3; ++failure) {
    std::vector<Spoilt> spoilt;
    gpu().spoil_next_launch([&](auto& streams) {
      for (StreamArgs& stream : streams) {
        // The doorbell record follows the ring, see mlx5::RxQueue.
        const std::uint32_t depth = 1U << stream.rx.log_depth;
        auto* const ring = reinterpret_cast<DataSegment*>(stream.rx.record) - depth;
        auto* const iova = const_cast<std::uint64_t*>(stream.tx_buffers.iova) + kOwnTxBuffers - 1;
        spoilt.push_back({iova, *iova, ring, depth, ring->lkey});
        *iova = reinterpret_cast<std::uintptr_t>(unregistered.data());
        for (std::uint32_t i = 0; i < depth; ++i) ring[i].lkey = Be32::of(1);
      }
    });
    datapath->start(io, 1);
    await_events(2);
    datapath->stop();
    for (const Spoilt& one : spoilt) {
      *one.iova = one.good_iova;
      for (std::uint32_t i = 0; i < one.depth; ++i) one.ring[i].lkey = one.good_key;
    }
    expect_traffic();
  }
}

TEST_F(StreamRecovery, kernel_that_dies_is_an_event_once_and_forwarding_ends_with_stop) {
  gpu().kill_next_kernel();
  datapath->start(io, 0);
  const std::vector<std::string> events = await_events(1);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_NE(events[0].find("faulted: bad address"), std::string::npos) << events[0];
  EXPECT_TRUE(datapath->take_events().empty());
  EXPECT_TRUE(datapath->running());
  EXPECT_THROW(datapath->stop(), Error);
  EXPECT_FALSE(datapath->running());
  expect_traffic();
}

TEST_F(StreamRecovery, stop_tells_of_a_kernel_that_died_unnoticed) {
  gpu().kill_next_kernel();
  datapath->start(io, 0);
  EXPECT_THROW(datapath->stop(), Error);
  EXPECT_FALSE(datapath->running());
  expect_traffic();
}

TEST_F(StreamRecovery, packets_pass_through_both_kernels_and_all_are_accounted_for) {
  start_two_kernels();
  EXPECT_TRUE(within_seconds(5, [&] { return received() > 10 * 1024; }));
  datapath->stop();
  EXPECT_EQ(sum().dropped, 0U);
  expect_traffic();
}

TEST_F(StreamRecovery, a_send_queue_that_stops_both_kernels_is_recovered_by_the_next_start) {
  for (int failure = 0; failure < 3; ++failure) {
    start_two_kernels([](auto& streams) {
      for (StreamArgs& stream : streams) stream.tx.lkey += 0x100;
    });
    const std::vector<std::string> events = await_events(1);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_NE(events[0].find("send queue: LOCAL_PROTECTION_ERR"), std::string::npos) << events[0];
    datapath->stop();
    EXPECT_GE(sum().dropped, 1U);
    expect_traffic();
  }
}

/// The last kernel looks at another ring, so that the first one has its slots out when it is told
/// to end.
TEST_F(StreamRecovery, slots_that_do_not_come_back_are_taken_back_by_the_next_start) {
  std::vector<GpuMemory> others;
  start_two_kernels([&](auto& streams) {
    for (StreamArgs& stream : streams) {
      const std::uint32_t log_depth = stream.from.ring.log_depth;
      others.push_back(world->gpu.allocate_shared(semaphore_bytes<PacketItem>(log_depth), 128));
      stream.from.ring = semaphore_in<PacketItem>(others.back().data(), log_depth);
    }
  });
  EXPECT_TRUE(within_seconds(5, [&] { return received() >= kRing; }));
  datapath->stop();
  EXPECT_EQ(sum().dropped, sum().rx_packets);
  expect_traffic();
}

TEST_F(StreamRecovery, a_kernel_that_cannot_be_launched_ends_those_before_it) {
  EXPECT_THROW(start_two_kernels({}, "no such kernel"), Error);
  EXPECT_FALSE(datapath->running());
  EXPECT_EQ(sum().tx_packets, 0U);
  expect_traffic();
}

/// The other queue is led to all the time.
TEST_F(StreamRecovery,
       a_receive_queue_that_cannot_be_led_to_when_made_anew_is_so_by_the_next_start) {
  for (bool* const refused : {&refuse_mapping, &refuse_rule}) {
    gpu().spoil_next_launch([](auto& streams) {
      for (const StreamArgs& stream : streams) {  // more taken than written
        const std::uint64_t taken = stream.rx.state->received + stream.rx.cq_offset;
        stream.rx.cq_record->consumer_index =
            Be32::of(static_cast<std::uint32_t>(taken + 512) & 0xffffff);
      }
    });
    datapath->start(find_forward_mode("txonly", Datapath::kGpu), 0);
    // Frames of one flow meet one of the queues.
    const std::vector<std::string> events = await_events(1);
    ASSERT_EQ(events.size(), 1U);
    EXPECT_NE(events[0].find("receive queue stopped: its completion queue has overrun"),
              std::string::npos)
        << events[0];
    datapath->stop();
    *refused = true;
    EXPECT_THROW(datapath->start(io, 1), Error);
    EXPECT_FALSE(*refused);
    EXPECT_FALSE(datapath->running());
    expect_traffic();
  }
}

/// A data path that cannot lead traffic to its queues.
class UnsteerableDatapath final : public DatapathEngine {
 public:
  void start(const ForwardMode&, std::uint32_t) override {}
  void stop() override {}
  bool running() const override { return false; }
  void port_started(std::uint16_t) override { throw Error("no rule", ""); }
  void port_stopping(std::uint16_t) override {}
  PortStats port_stats(std::uint16_t) override { return {}; }
  std::vector<StreamStats> stream_stats() override { return {}; }
  void clear_stream_stats() override {}
  std::vector<std::string> take_events() override { return {}; }
  std::string describe(std::uint16_t) const override { return {}; }
  std::uint16_t max_queues(std::uint16_t) const override { return 1; }
};

TEST_F(StreamRecovery, port_that_cannot_be_steered_is_stopped_and_can_be_started_again) {
  datapath->port_stopping(port().id());
  port().stop();
  UnsteerableDatapath unsteerable;
  EXPECT_THROW(start_steered(port(), unsteerable), Error);
  EXPECT_FALSE(port().started());
  start_steered(port(), *datapath);
  EXPECT_TRUE(port().started());
  expect_traffic();
}

}  // namespace
}  // namespace ringside::test
