// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A stream that an error stops, on the whole GPU data path: EAL, PMD, rules, rings, kernels. Runs
// under `softcx run` on a loop (test_ringside_recovery.py).
#include <gtest/gtest.h>
#include <sched.h>

#include <cstdlib>
#include <cstring>

#include "lib/base/clock.hpp"
#include "lib/dpdk/eal.hpp"
#include "lib/dpdk/eal_arguments.hpp"
#include "lib/runtime/config_check.hpp"
#include "lib/runtime/gpu_datapath.hpp"

namespace ringside::test {
namespace {

/// A GPU whose next kernel is told a wrong key for its packets, as a bug might.
class FaultyGpu final : public GpuDevice {
 public:
  explicit FaultyGpu(std::unique_ptr<GpuDevice> gpu)
      : GpuDevice(gpu->info()), gpu_(std::move(gpu)) {}

  void spoil_next_launch() { spoil_ = true; }

  std::optional<UniqueFd> export_dmabuf(const GpuMemory& memory, std::uint64_t& offset) override {
    return gpu_->export_dmabuf(memory, offset);
  }
  void copy_to_device(const GpuMemory& to, std::size_t offset, const void* from,
                      std::size_t size) override {
    gpu_->copy_to_device(to, offset, from, size);
  }
  void copy_from_device(void* to, const GpuMemory& from, std::size_t offset,
                        std::size_t size) override {
    gpu_->copy_from_device(to, from, offset, size);
  }
  std::unique_ptr<PersistentKernel> launch(const LaunchConfig& config) override {
    LaunchConfig changed = config;
    if (std::exchange(spoil_, false)) changed.streams.front().tx.lkey += 0x100;
    return gpu_->launch(changed);
  }

 private:
  std::uint64_t* map_doorbell(std::uint64_t* doorbell) override { return doorbell; }
  void unmap_doorbell(std::uint64_t*) noexcept override {}
  std::int64_t view_offset(std::uint8_t*) override { return 0; }  // gpu_host that is not opaque
  std::uint8_t* allocate_shared_raw(std::size_t size, std::size_t alignment) override {
    const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
    auto* memory = static_cast<std::uint8_t*>(std::aligned_alloc(alignment, rounded));
    std::memset(memory, 0, rounded);
    return memory;
  }
  void free_shared_raw(std::uint8_t* data, std::size_t) noexcept override { std::free(data); }

  std::unique_ptr<GpuDevice> gpu_;
  bool spoil_ = false;
};

RuntimeConfig two_queues() {
  RuntimeConfig config;
  config.mempool = MempoolKind::kGpu;
  config.rx_queues = config.tx_queues = 2;
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

TEST(StreamRecovery, stopped_stream_is_named_and_the_next_start_recovers_it) {
  const EalArguments arguments = split_eal_arguments(
      {"stream_recovery", "-l", "0-1", "--in-memory", "--no-telemetry", "--vdev=gpu_host0"},
      list_pci_functions());
  const Eal eal(arguments.args);
  FaultyGpu gpu(GpuDevice::open(0));
  std::vector<std::unique_ptr<Nic>> nics;
  nics.push_back(std::make_unique<Nic>(arguments.nics.at(0), "dv_flow_en=1"));
  const RuntimeConfig config = two_queues();
  GpuPool pool(gpu, {.name = "gpu", .mbufs = pool_mbufs(config, 1), .mbuf_size = config.mbuf_size});
  const Mempool idle({.name = "host", .mbufs = 255, .mbuf_size = config.mbuf_size});
  std::vector<std::unique_ptr<EthPort>> ports;
  ports.push_back(std::make_unique<EthPort>(
      nics[0]->port(), EthPortConfig{.rx_queues = 1,
                                     .tx_queues = 1,
                                     .rx_descriptors = 64,
                                     .tx_descriptors = 64,
                                     .max_packet_length = kDefaultMaxPacketLength,
                                     .promiscuous = false,
                                     .isolated = true,
                                     .pool = idle.get()}));
  {
    const std::uint16_t port = ports[0]->id();
    GpuDatapath datapath(config, gpu, pool, nics, ports);
    ports[0]->start();
    datapath.port_started(port);
    const ForwardMode& io = find_forward_mode("io", Datapath::kGpu);

    for (int failure = 0; failure < 3; ++failure) {
      gpu.spoil_next_launch();
      datapath.start(io, 1);
      std::vector<std::string> events;
      ASSERT_TRUE(within_seconds(5, [&] {
        events = datapath.take_events();
        return !events.empty();
      }));
      ASSERT_EQ(events.size(), 1U);
      for (const char* part : {"port 0 queue 0", "send queue", "LOCAL_PROTECTION_ERR"}) {
        EXPECT_NE(events[0].find(part), std::string::npos) << part << " in: " << events[0];
      }
      datapath.stop();
      const StreamStats stopped = datapath.stream_stats().at(0);
      EXPECT_FALSE(stopped.error.empty());
      EXPECT_EQ(stopped.tx_errors, stopped.dropped);
      EXPECT_GE(stopped.tx_errors, 1U);

      datapath.start(io, 1);
      const std::uint64_t before = datapath.port_stats(port).rx_packets;
      EXPECT_TRUE(within_seconds(
          5, [&] { return datapath.port_stats(port).rx_packets > before + 10 * 1024; }));
      EXPECT_TRUE(datapath.take_events().empty());
      datapath.stop();
      EXPECT_EQ(datapath.stream_stats().at(0).error, "");
    }
    datapath.port_stopping(port);
    ports[0]->stop();
  }
  EXPECT_TRUE(pool.full());
  ports.clear();
}

}  // namespace
}  // namespace ringside::test
