// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/config_check.hpp"

#include <fmt/format.h>
#include <rte_ether.h>
#include <rte_mbuf_core.h>

#include <algorithm>
#include <bit>
#include <string_view>

#include "lib/base/error.hpp"
#include "lib/device/burst.hpp"
#include "lib/device/udp_frame.hpp"
#include "lib/mlx5/format/striding.hpp"

namespace ringside {
namespace {

constexpr std::uint32_t kMaxCache = 250;  // as testpmd

void check_power(std::string_view option, std::uint32_t value, std::uint32_t least) {
  if (value < least) {
    throw usage_error(fmt::format("{} {} is too small", option, value),
                      fmt::format("use {} or a larger power of two", least));
  }
  if (!std::has_single_bit(value)) {
    const std::uint32_t above = std::bit_ceil(value);
    throw usage_error(fmt::format("{} {} is no power of two", option, value),
                      fmt::format("use {} or {}", above / 2, above));
  }
}

void check_ring(std::string_view option, std::uint32_t descriptors) {
  check_power(option, descriptors, 1);
}

void check_gpu_rings(const RuntimeConfig& config) {
  if (!is_for_gpu(config.mempool)) {
    throw usage_error("--datapath=gpu with packets in CPU memory", "add --mp-alloc=gpu");
  }
  check_ring("--rxd", config.rx_descriptors);
  check_ring("--txd", config.tx_descriptors);
  if (config.rx_queues != config.tx_queues) {
    throw usage_error(
        fmt::format("--rxq {} and --txq {}", config.rx_queues, config.tx_queues),
        "the GPU data path pairs each receive queue with a send queue, make them equal");
  }
  // Descriptors of striding queues are strides, of which a packet may have many; no more packets
  // are received than the send queue has room for.
  if (!config.strides && config.tx_descriptors < config.rx_descriptors) {
    throw usage_error(
        fmt::format("--txd {} is below --rxd {}", config.tx_descriptors, config.rx_descriptors),
        "every received packet needs a place in the send queue, make them equal");
  }
}

void check_launch(const RuntimeConfig& config) {
  const std::string_view launch = kGpuLaunchNames[static_cast<std::size_t>(config.gpu_launch)];
  if ((config.gpu_launch == GpuLaunch::kPersistent) == (config.datapath == Datapath::kLaunch)) {
    throw usage_error(fmt::format("--gpu-launch={} on another data path", launch),
                      "leave --datapath out");
  }
  if (config.datapath == Datapath::kLaunch && !is_for_gpu(config.mempool)) {
    throw usage_error(fmt::format("--gpu-launch={} with packets in CPU memory", launch),
                      "add --mp-alloc=gpu or --mp-alloc=gpu-pinned");
  }
}

void check_strides(const RuntimeConfig& config, std::uint32_t length) {
  const auto& [bytes, count] = *config.strides;
  if (config.datapath != Datapath::kGpu) {
    throw usage_error("striding receive queues for kernels only",
                      "use --datapath=gpu; the PMD has its own (mprq_en=1 in -a)");
  }
  if (config.headers || !config.trace_file.empty()) {
    throw usage_error(fmt::format("striding receive queues with {}",
                                  config.headers ? "headers split from data" : "a trace"),
                      "leave one of them out");
  }
  check_power("--rx-stride-size", bytes, 1U << kLogStrideBytesBase);
  check_power("--rx-stride-num", count, 1U << kLogStridesLeast);
  const std::uint64_t all = std::uint64_t{bytes} * count;
  if (RTE_PKTMBUF_HEADROOM + all > UINT16_MAX) {
    throw usage_error(fmt::format("{} strides of {} bytes in a buffer", count, bytes),
                      fmt::format("a buffer has {} bytes at most, its headroom of {} among them",
                                  UINT16_MAX, RTE_PKTMBUF_HEADROOM));
  }
  if (all < length) {
    throw usage_error(fmt::format("{} strides of {} bytes for packets of {}", count, bytes, length),
                      fmt::format("use {} strides or more", std::bit_ceil(length / bytes + 1)));
  }
  if (config.mbuf_size < RTE_PKTMBUF_HEADROOM + all) {
    throw usage_error(fmt::format("--mbuf-size {} is too small for {} strides of {} bytes",
                                  config.mbuf_size, count, bytes),
                      fmt::format("use {} (headroom is {}), or fewer strides",
                                  RTE_PKTMBUF_HEADROOM + all, RTE_PKTMBUF_HEADROOM));
  }
  if (config.rx_descriptors < 2 * count) {
    throw usage_error(
        fmt::format("--rxd {} with {} strides a buffer", config.rx_descriptors, count),
        fmt::format("descriptors are strides: use {} or more, for two buffers", 2 * count));
  }
}

void check_buffers(const RuntimeConfig& config, std::uint32_t length) {
  if (config.strides) return check_strides(config, length);
  const std::uint32_t in_headers = header_bytes(config);
  if (config.mbuf_size < RTE_PKTMBUF_HEADROOM + length - std::min(length, in_headers)) {
    throw usage_error(
        fmt::format("--mbuf-size {} is too small for packets of {} bytes{}", config.mbuf_size,
                    length,
                    in_headers == 0 ? "" : fmt::format(", {} of them elsewhere", in_headers)),
        fmt::format("use at least {} (headroom is {})",
                    RTE_PKTMBUF_HEADROOM + length - std::min(length, in_headers),
                    RTE_PKTMBUF_HEADROOM));
  }
  if (!config.headers) return;
  if (config.datapath != Datapath::kGpu || !is_for_gpu(config.headers->mempool)) {
    throw usage_error("headers are split from data for kernels only",
                      "use --datapath=gpu, and memory that a GPU reaches");
  }
  if (in_headers < RTE_ETHER_HDR_LEN) {
    throw usage_error(fmt::format("buffers of {} bytes for headers", config.headers->mbuf_size),
                      fmt::format("use at least {} (headroom is {})",
                                  RTE_PKTMBUF_HEADROOM + RTE_ETHER_HDR_LEN, RTE_PKTMBUF_HEADROOM));
  }
}

void check_gpus(const RuntimeConfig& config) {
  if (config.datapath == Datapath::kGpu || config.gpu_ids.size() < 2) return;
  throw usage_error(
      fmt::format("--gpu-id {} where the CPU drives the rings", fmt::join(config.gpu_ids, ",")),
      "name one GPU, or use --datapath=gpu");
}

void check_own_frames(const RuntimeConfig& config) {
  const std::uint32_t most = max_packet_length(config) - RTE_ETHER_CRC_LEN;
  if (config.own_frame_length < kUdpFrameHeaders || config.own_frame_length > most) {
    throw usage_error(
        fmt::format("--txpkts {}", config.own_frame_length),
        fmt::format("use {} to {} (--max-pkt-len without FCS)", kUdpFrameHeaders, most));
  }
}

}  // namespace

void check_tx_first(const RuntimeConfig& config, const ForwardMode& mode, std::uint32_t bursts) {
  if (bursts == 0) return;
  if (!mode.receives || !mode.sends) {
    std::vector<std::string_view> possible;
    for (const ForwardMode& other : all_forward_modes()) {
      if (other.receives && other.sends) possible.push_back(other.name);
    }
    throw usage_error(
        fmt::format("start tx_first in mode {}", mode.name),
        fmt::format("only modes that receive and send can: {}", fmt::join(possible, ", ")));
  }
  // The kernels count a stream's first frames in 32 bits.
  if (bursts > UINT32_MAX / config.burst) {
    throw usage_error(fmt::format("start tx_first {} with bursts of {}", bursts, config.burst),
                      fmt::format("use at most {}", UINT32_MAX / config.burst));
  }
}

std::uint32_t max_packet_length(const RuntimeConfig& config) noexcept {
  return config.max_packet_length != 0 ? config.max_packet_length : kDefaultMaxPacketLength;
}

std::uint32_t header_bytes(const RuntimeConfig& config) noexcept {
  if (!config.headers) return 0;
  const std::uint32_t size = config.headers->mbuf_size;
  return size - std::min<std::uint32_t>(size, RTE_PKTMBUF_HEADROOM);
}

void check_config(const RuntimeConfig& config) {
  find_forward_mode(config.forward_mode, config.datapath);
  if (config.rx_queues == 0 || config.tx_queues == 0) {
    throw usage_error(fmt::format("--rxq {} and --txq {}", config.rx_queues, config.tx_queues),
                      "use at least 1 of each");
  }
  if (config.rx_descriptors == 0 || config.tx_descriptors == 0) {
    throw usage_error(
        fmt::format("--rxd {} and --txd {}", config.rx_descriptors, config.tx_descriptors),
        "use at least 64 of each");
  }
  if (config.burst == 0 || config.burst > kMaxBurst) {
    throw usage_error(fmt::format("--burst {}", config.burst),
                      fmt::format("use 1 to {}", kMaxBurst));
  }
  const std::uint32_t length = max_packet_length(config);
  if (length < kMinPacketLength || length > UINT16_MAX) {
    throw usage_error(fmt::format("--max-pkt-len {}", length),
                      fmt::format("use {} to {}", kMinPacketLength, UINT16_MAX));
  }
  check_buffers(config, length);
  check_own_frames(config);
  check_launch(config);
  check_gpus(config);
  if (config.datapath == Datapath::kGpu) check_gpu_rings(config);
}

void check_queue_limits(const RuntimeConfig& config, const QueueLimits& limits) {
  if (config.rx_queues > limits.max_queues) {
    throw usage_error(fmt::format("--rxq {} on {}", config.rx_queues, limits.device),
                      fmt::format("it and its PMD allow {}", limits.max_queues));
  }
  // The send queue is the larger one, see check_config().
  if (config.tx_descriptors > limits.max_descriptors) {
    throw usage_error(fmt::format("--txd {} on {}", config.tx_descriptors, limits.device),
                      fmt::format("the device's rings hold {}", limits.max_descriptors));
  }
}

std::uint16_t mbuf_size_for(const RxStrides& strides) {
  const std::uint32_t size = RTE_PKTMBUF_HEADROOM + strides.bytes * strides.count;
  if (size > UINT16_MAX) {
    throw usage_error(fmt::format("{} strides of {} bytes", strides.count, strides.bytes),
                      fmt::format("use strides of {} bytes in all, or less",
                                  std::bit_floor(UINT16_MAX - RTE_PKTMBUF_HEADROOM + 0U)));
  }
  return static_cast<std::uint16_t>(size);
}

std::uint32_t rx_buffers(const RuntimeConfig& config) noexcept {
  if (!config.strides) return config.rx_descriptors;
  return std::max(config.rx_descriptors / config.strides->count, 1U);  // before it was checked, too
}

std::uint32_t mbufs_in_queues(const RuntimeConfig& config, std::size_t ports) noexcept {
  // GPU rings: a buffer a slot, and those for frames of their own. PMD queues hold packets on both
  // sides, and a core has a burst in hand, or as many as a kernel is given at a time.
  const std::uint32_t in_hand = config.datapath == Datapath::kLaunch ? kMaxBurstPlaces : 1;
  const std::uint32_t queue_pair =
      config.datapath == Datapath::kGpu
          ? rx_buffers(config) + config.own_buffers
          : std::uint32_t{config.rx_descriptors} + config.tx_descriptors + in_hand * config.burst;
  return static_cast<std::uint32_t>(ports) * config.rx_queues * queue_pair;
}

std::uint32_t mbuf_cache(const RuntimeConfig& config, std::size_t ports) {
  if (config.datapath == Datapath::kGpu) return 0;
  // What an lcore keeps (up to half as many again) no other gets, nor do the queues: it has to come
  // out of what those leave. The main lcore fills the queues and keeps some too.
  const std::uint32_t left = pool_mbufs(config, ports) - mbufs_in_queues(config, ports);
  return std::min(kMaxCache, left * 2 / 3 / (config.nb_cores + 1U));
}

std::uint32_t header_mbufs(const RuntimeConfig& config, std::size_t ports) noexcept {
  const auto slots = static_cast<std::uint32_t>(ports) * config.rx_queues * config.rx_descriptors;
  return std::max(config.headers->mbufs, slots + slots / 2);
}

std::uint32_t pool_mbufs(const RuntimeConfig& config, std::size_t ports) {
  const std::uint32_t needed = mbufs_in_queues(config, ports);
  if (config.total_mbufs == 0) return needed + needed / 2;
  if (config.total_mbufs < needed) {
    throw usage_error(fmt::format("--total-num-mbufs {} is too small for {} queues on {} ports",
                                  config.total_mbufs, config.rx_queues, ports),
                      fmt::format("use at least {}", needed));
  }
  return config.total_mbufs;
}

std::uint32_t pool_mbufs_here(const RuntimeConfig& config, std::size_t ports_here,
                              std::size_t ports) {
  const std::uint64_t share = std::uint64_t{pool_mbufs(config, ports)} * ports_here / ports;
  return std::max(mbufs_in_queues(config, ports_here), static_cast<std::uint32_t>(share));
}

std::uint16_t idle_mbuf_size(const RuntimeConfig& config) noexcept {
  // Whole packets, as a queue of the PMD's asks for, used or not.
  return static_cast<std::uint16_t>(config.mbuf_size + header_bytes(config));
}

}  // namespace ringside
