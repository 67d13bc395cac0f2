// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Wrong configurations: each an error of one sentence with the value and what to do.
#include <gtest/gtest.h>

#include <algorithm>

#include <array>
#include <functional>

#include "kernels/registry.hpp"
#include "lib/base/error.hpp"
#include "lib/device/burst.hpp"
#include "lib/runtime/config_check.hpp"
#include "lib/runtime/datapath.hpp"
#include "lib/runtime/forward_mode.hpp"

namespace ringside::test {
namespace {

using Change = std::function<void(RuntimeConfig&)>;

RuntimeConfig gpu_config() {
  RuntimeConfig config;
  config.mempool = MempoolKind::kGpu;
  return config;
}

std::string usage_of(const Change& change, const std::function<void(const RuntimeConfig&)>& check) {
  RuntimeConfig config = gpu_config();
  change(config);
  try {
    check(config);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_FALSE(error.remedy().empty()) << error.what();
    return error.what();
  }
  return "no error";
}

std::string usage_of(const Change& change) {
  return usage_of(change, [](const RuntimeConfig& config) { check_config(config); });
}

void expect_in(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
  }
}

TEST(ConfigCheck, defaults_on_the_gpu_are_fine) {
  EXPECT_NO_THROW(check_config(gpu_config()));
}

TEST(ConfigCheck, strides_share_buffers_that_hold_them_and_a_packet) {
  const auto strided = [](RuntimeConfig& config) {
    config.strides.emplace();
    config.mbuf_size = mbuf_size_for(*config.strides);
    config.tx_descriptors = 64;
  };
  RuntimeConfig config = gpu_config();
  strided(config);
  EXPECT_NO_THROW(check_config(config));
  EXPECT_EQ(rx_buffers(config), 1024U / 64);
  const auto usage = [&](const Change& change) {
    return usage_of([&](RuntimeConfig& wrong) {
      strided(wrong);
      change(wrong);
    });
  };
  expect_in(usage([](auto& c) { c.datapath = Datapath::kCpu; }), {"kernels only", "mprq_en=1"});
  expect_in(usage([](auto& c) { c.headers.emplace(); }), {"headers", "leave one"});
  expect_in(usage([](auto& c) { c.trace_file = "t"; }), {"trace", "leave one"});
  expect_in(usage([](auto& c) { c.strides->bytes = 100; }), {"--rx-stride-size 100", "64 or 128"});
  expect_in(usage([](auto& c) { c.strides->count = 9; }), {"--rx-stride-num 9", "8 or 16"});
  expect_in(usage([](auto& c) { c.strides->bytes = 0; }), {"--rx-stride-size 0", "use 64 or"});
  expect_in(usage([](auto& c) { c.strides->count = 0; }), {"--rx-stride-num 0", "use 8 or"});
  expect_in(usage([](auto& c) { c.strides->count = 4; }), {"--rx-stride-num 4", "use 8 or"});
  expect_in(usage([](auto& c) { *c.strides = {64, 16}; }), {"packets of 1518", "32 strides"});
  expect_in(usage([](auto& c) { c.mbuf_size = 8192; }), {"--mbuf-size 8192", "16512"});
  expect_in(usage([](auto& c) { c.rx_descriptors = 64; }), {"--rxd 64", "128 or more"});
  expect_in(usage_of([](auto&) {}, [](auto&) { mbuf_size_for({.bytes = 1024, .count = 64}); }),
            {"64 strides of 1024 bytes", "32768"});
}

TEST(ConfigCheck, defaults_on_the_cpu_are_fine) {
  RuntimeConfig config;
  config.datapath = Datapath::kCpu;
  EXPECT_NO_THROW(check_config(config));
}

TEST(ConfigCheck, split_packets_need_buffers_that_hold_them_together) {
  const auto split = [](std::uint16_t mbuf_size) {
    return [=](RuntimeConfig& c) {
      c.headers = HeaderBuffers{.mbuf_size = 128 + 100};
      c.max_packet_length = 1518;
      c.mbuf_size = mbuf_size;
    };
  };
  EXPECT_EQ(usage_of(split(128 + 1418)), "no error");
  expect_in(usage_of(split(128 + 1417)), {"1518 bytes", "100 of them", "1546"});
  expect_in(usage_of([](auto& c) { c.headers = HeaderBuffers{.mbuf_size = 128 + 13}; }),
            {"141", "142"});
  expect_in(usage_of([](auto& c) {
              c.headers = HeaderBuffers{};
              c.datapath = Datapath::kCpu;
            }),
            {"headers"});
}

TEST(ConfigCheck, ring_that_is_no_power_of_two_is_told_its_neighbours) {
  expect_in(usage_of([](auto& c) { c.rx_descriptors = 1000; }), {"--rxd 1000", "512", "1024"});
  expect_in(usage_of([](auto& c) { c.tx_descriptors = 1025; }), {"--txd 1025", "1024", "2048"});
}

TEST(ConfigCheck, cpu_rings_need_not_be_powers_of_two) {
  EXPECT_EQ(usage_of([](auto& c) {
              c.datapath = Datapath::kCpu;
              c.rx_descriptors = 1000;
              c.tx_queues = 4;
            }),
            "no error");
}

TEST(ConfigCheck, launches_by_the_cpu_need_gpu_memory_and_a_data_path_of_their_own) {
  const auto launch = [](auto& c) {
    c.datapath = Datapath::kLaunch;
    c.gpu_launch = GpuLaunch::kGraph;
  };
  EXPECT_EQ(usage_of([&](auto& c) {
              launch(c);
              c.rx_descriptors = 1000;  // the PMD's rings
              c.tx_queues = 4;
            }),
            "no error");
  expect_in(usage_of([&](auto& c) {
              launch(c);
              c.mempool = MempoolKind::kNative;
            }),
            {"--gpu-launch=graph", "--mp-alloc=gpu-pinned"});
  expect_in(usage_of([&](auto& c) {
              launch(c);
              c.gpu_launch = GpuLaunch::kPersistent;
            }),
            {"--gpu-launch=persistent", "--datapath"});
  expect_in(usage_of([](auto& c) { c.gpu_launch = GpuLaunch::kCommList; }),
            {"--gpu-launch=comm-list", "--datapath"});
}

TEST(ConfigCheck, own_frames_hold_their_headers_and_fit_the_mtu) {
  const auto length = [](std::uint32_t bytes) {
    return usage_of([bytes](auto& c) { c.own_frame_length = bytes; });
  };
  expect_in(length(41), {"--txpkts 41", "42 to 1514"});
  expect_in(length(1515), {"--txpkts 1515", "42 to 1514"});
  EXPECT_EQ(length(42), "no error");
  EXPECT_EQ(length(1514), "no error");
}

TEST(ConfigCheck, gpu_rings_need_gpu_memory) {
  expect_in(usage_of([](auto& c) { c.mempool = MempoolKind::kNative; }), {"--mp-alloc=gpu"});
}

TEST(ConfigCheck, queues_have_to_pair) {
  expect_in(usage_of([](auto& c) { c.tx_queues = 2; }), {"--rxq 1", "--txq 2"});
  expect_in(usage_of([](auto& c) { c.rx_queues = c.tx_queues = 0; }), {"--rxq 0"});
}

TEST(ConfigCheck, send_ring_below_the_receive_ring_is_refused) {
  expect_in(usage_of([](auto& c) { c.rx_descriptors = 2048; }), {"--txd 1024", "--rxd 2048"});
  EXPECT_EQ(usage_of([](auto& c) { c.rx_descriptors = 512; }), "no error");
}

TEST(ConfigCheck, buffer_has_to_hold_the_largest_packet_behind_the_headroom) {
  expect_in(usage_of([](auto& c) { c.max_packet_length = 9000; }), {"2176", "9000", "9128"});
  EXPECT_EQ(usage_of([](auto& c) {
              c.max_packet_length = 9000;
              c.mbuf_size = 9128;
            }),
            "no error");
  expect_in(usage_of([](auto& c) { c.mbuf_size = 1645; }), {"1645", "1518", "1646"});
}

TEST(ConfigCheck, packet_length_and_burst_have_limits) {
  expect_in(usage_of([](auto& c) { c.max_packet_length = 85; }), {"85", "86"});
  EXPECT_EQ(usage_of([](auto& c) { c.max_packet_length = 86; }), "no error");
  expect_in(usage_of([](auto& c) { c.max_packet_length = 70000; }), {"70000", "65535"});
  expect_in(usage_of([](auto& c) { c.burst = 0; }), {"--burst 0"});
  expect_in(usage_of([](auto& c) { c.burst = 513; }), {"--burst 513", "512"});
}

TEST(ConfigCheck, unknown_mode_is_told_the_known_ones) {
  expect_in(usage_of([](auto& c) { c.forward_mode = "teleport"; }),
            {"teleport", "io", "macswap", "rxonly"});
}

TEST(ConfigCheck, cpu_has_only_the_modes_that_touch_no_packet) {
  const auto on_cpu = [](const char* mode) {
    return usage_of([mode](auto& c) {
      c.datapath = Datapath::kCpu;
      c.forward_mode = mode;
    });
  };
  EXPECT_EQ(on_cpu("io"), "no error");
  EXPECT_EQ(on_cpu("rxonly"), "no error");
  expect_in(on_cpu("macswap"), {"macswap", "CPU", "io, rxonly"});
}

TEST(ConfigCheck, more_than_the_device_has_is_refused_with_its_limits) {
  const auto on_device = [](const Change& change) {
    return usage_of(change, [](const RuntimeConfig& config) {
      check_queue_limits(config,
                         {.device = "0000:17:00.0", .max_queues = 8, .max_descriptors = 8192});
    });
  };
  expect_in(on_device([](auto& c) { c.rx_queues = c.tx_queues = 9; }), {"--rxq 9", "17:00.0", "8"});
  expect_in(on_device([](auto& c) { c.tx_descriptors = 16384; }), {"--txd 16384", "8192"});
  EXPECT_EQ(on_device([](auto& c) { c.tx_descriptors = 8192; }), "no error");
}

TEST(PoolSize, default_is_half_as_many_again_as_the_queues_hold) {
  RuntimeConfig config = gpu_config();
  config.rx_queues = config.tx_queues = 4;
  const std::uint32_t held = 2 * 4 * (1024 + kOwnTxBuffers);
  EXPECT_EQ(mbufs_in_queues(config, 2), held);
  EXPECT_EQ(pool_mbufs(config, 2), held + held / 2);
}

TEST(PoolSize, too_few_mbufs_are_told_how_many_are_needed) {
  const auto sized = [](std::uint32_t mbufs) {
    return usage_of([mbufs](auto& c) { c.total_mbufs = mbufs; },
                    [](const RuntimeConfig& config) { pool_mbufs(config, 1); });
  };
  expect_in(sized(1000), {"1000", std::to_string(1024 + kOwnTxBuffers).c_str()});
  EXPECT_EQ(sized(1024 + kOwnTxBuffers), "no error");
}

// What rte_mempool asks for, and no lcore may keep what another one's queues need.
TEST(PoolSize, caches_of_all_lcores_fit_into_what_the_queues_leave) {
  RuntimeConfig config;
  config.datapath = Datapath::kCpu;
  for (const std::uint16_t descriptors : std::array<std::uint16_t, 4>{16, 64, 512, 1024}) {
    for (const std::uint16_t cores : std::array<std::uint16_t, 2>{1, 4}) {
      config.rx_descriptors = config.tx_descriptors = descriptors;
      config.nb_cores = cores;
      for (const std::uint32_t mbufs : {0U, mbufs_in_queues(config, 1)}) {
        config.total_mbufs = mbufs;
        const std::uint32_t pool = pool_mbufs(config, 1);
        const std::uint32_t kept = mbuf_cache(config, 1) * 3 / 2;
        EXPECT_LE(kept * (cores + 1U), pool - mbufs_in_queues(config, 1)) << descriptors;
        EXPECT_LE(mbuf_cache(config, 1), 250U);
      }
    }
  }
  config = {};
  config.datapath = Datapath::kCpu;
  EXPECT_EQ(mbuf_cache(config, 1), 250U);
}

TEST(PoolSize, bursts_that_the_gpu_has_need_mbufs_too) {
  RuntimeConfig config = gpu_config();
  config.datapath = Datapath::kCpu;
  const std::uint32_t one_in_hand = mbufs_in_queues(config, 1);
  config.datapath = Datapath::kLaunch;
  EXPECT_EQ(mbufs_in_queues(config, 1), one_in_hand + (kMaxBurstPlaces - 1) * config.burst);
}

TEST(PoolSize, gpu_queues_use_no_cache) {
  EXPECT_EQ(mbuf_cache(gpu_config(), 1), 0U);
}

TEST(ForwardModes, kernels_that_the_cpu_launches_have_all_of_them) {
  EXPECT_EQ(forward_mode_names(Datapath::kLaunch), forward_mode_names(Datapath::kGpu));
}

TEST(TxFirst, modes_that_only_receive_or_only_send_are_told_which_do_both) {
  const auto first = [](const char* mode, std::uint32_t bursts) {
    return usage_of([](auto&) {},
                    [&](const RuntimeConfig& config) {
                      check_tx_first(config, find_forward_mode(mode, Datapath::kGpu), bursts);
                    });
  };
  expect_in(first("rxonly", 1), {"tx_first", "rxonly", "invert, io, mac, macswap"});
  expect_in(first("txonly", 1), {"tx_first", "txonly", "invert, io, mac, macswap"});
  EXPECT_EQ(first("txonly", 0), "no error");
  EXPECT_EQ(first("mac", 1), "no error");
}

TEST(TxFirst, more_frames_than_a_stream_can_count_are_refused) {
  const auto first = [](std::uint32_t bursts) {
    return usage_of([](auto& c) { c.burst = 32; },
                    [&](const RuntimeConfig& config) {
                      check_tx_first(config, find_forward_mode("io", Datapath::kGpu), bursts);
                    });
  };
  expect_in(first(134217728), {"tx_first 134217728", "134217727"});
  EXPECT_EQ(first(134217727), "no error");
}

TEST(ForwardModes, every_mode_has_a_kernel_with_the_same_needs) {
  for (const ForwardMode& mode : all_forward_modes()) {
    const HostKernel* kernel = find_host_kernel(mode.name);
    ASSERT_NE(kernel, nullptr) << mode.name;
    EXPECT_EQ(kernel->receives, mode.receives) << mode.name;
    EXPECT_EQ(kernel->sends, mode.sends) << mode.name;
    if (!mode.receives) continue;
    const HostKernel* strided = find_host_kernel("strided_" + std::string(mode.name));
    ASSERT_NE(strided, nullptr) << mode.name;
    EXPECT_EQ(strided->sends, mode.sends) << mode.name;
  }
  // A pipeline's file, or that of a trace; and what a mode is on striding queues.
  const auto is_no_mode = [](const HostKernel& kernel) {
    return kernel.name.find("pipeline") != std::string_view::npos || kernel.name == "generator" ||
           kernel.name == "traced" || kernel.name.starts_with("strided_");
  };
  EXPECT_EQ(all_forward_modes().size() +
                static_cast<std::size_t>(std::ranges::count_if(host_kernels(), is_no_mode)),
            host_kernels().size());
}

TEST(Topology, ports_pair_and_an_odd_one_is_its_own_peer) {
  EXPECT_EQ(peer_of(0, 1), 0U);
  EXPECT_EQ(peer_of(0, 2), 1U);
  EXPECT_EQ(peer_of(1, 2), 0U);
  EXPECT_EQ(peer_of(2, 3), 2U);
  EXPECT_EQ(peer_of(3, 4), 2U);
}

}  // namespace
}  // namespace ringside::test
