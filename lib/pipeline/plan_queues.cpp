// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Queues and buffers: the data path has one size of each for all, which check_plan() has seen to.
#include <algorithm>

#include "lib/pipeline/gpus.hpp"
#include "lib/pipeline/plan.hpp"
#include "lib/pipeline/sizing.hpp"
#include "lib/runtime/config_check.hpp"

namespace ringside::pipeline {
namespace {

constexpr std::uint32_t kSmallestRing = 64;
/// Frames that a generator's queue has with the NIC at most.
constexpr std::uint32_t kGeneratorBuffers = 512;

MempoolKind pool_kind(const MemoryRegion& region) {
  return region.kind == MemoryRegion::Kind::kDevice ? MempoolKind::kGpu : MempoolKind::kGpuPinned;
}

/// Of all regions that hold headers, or all that hold something else.
std::uint32_t buffers_in_regions(const Config& config, bool of_headers) {
  std::uint32_t buffers = 0;
  for (std::size_t i = 0; i < config.memory_regions.size(); ++i) {
    const bool used = std::ranges::any_of(uses_of_region(config, i), [&](const RegionUse& use) {
      return (use.part == RegionUse::Part::kHeaders) == of_headers;
    });
    if (!used) continue;
    buffers += config.memory_regions[i].num_bufs.value_or(automatic_num_bufs(config, i));
  }
  return buffers;
}

std::uint16_t buf_size(const Config& config, std::size_t region) {
  return static_cast<std::uint16_t>(
      config.memory_regions.at(region).buf_size.value_or(automatic_buf_size(config, region)));
}

void set_region(const Config& config, std::size_t region, RuntimeConfig& runtime) {
  runtime.mempool = pool_kind(config.memory_regions.at(region));
  runtime.mbuf_size = buf_size(config, region);
}

void take_regions(const Config& config, const RxQueue& queue, RuntimeConfig& runtime) {
  const bool known = std::ranges::all_of(queue.memory_regions, [&config](const Reference& region) {
    return region.index < config.memory_regions.size();
  });
  if (!known || queue.memory_regions.empty()) return;
  set_region(config, queue.memory_regions.back().index, runtime);
  if (queue.memory_regions.size() == 1) return;
  const std::size_t headers = queue.memory_regions.front().index;
  runtime.headers = HeaderBuffers{.mempool = pool_kind(config.memory_regions[headers]),
                                  .mbuf_size = buf_size(config, headers),
                                  .mbufs = buffers_in_regions(config, true)};
}

}  // namespace

void set_queues(const Config& config, RuntimeConfig& runtime) {
  // Each stream has a queue of both kinds, whether the file names one or not.
  std::size_t streams = 0;
  for (const Pipeline& pipeline : config.pipelines) streams += pipeline.sources.size();
  for (const Generator& generator : config.generator) streams += generator.queues.size();
  std::size_t queues = (streams + config.interfaces.size() - 1) / config.interfaces.size();
  std::uint32_t rx_descriptors = 0;
  std::uint32_t tx_descriptors = 0;
  for (const Interface& interface : config.interfaces) {
    queues = std::max({queues, interface.rx.queues.size(), interface.tx.queues.size()});
    if (const auto& striding = interface.rx.striding) {
      runtime.strides = RxStrides{.bytes = striding->stride_size, .count = striding->strides};
    }
    for (const RxQueue& queue : interface.rx.queues) {
      rx_descriptors = queue.num_desc;
      runtime.burst = static_cast<std::uint16_t>(std::min(queue.batch_size, kMaxBurst));
      take_regions(config, queue, runtime);
    }
    for (const TxQueue& queue : interface.tx.queues) tx_descriptors = queue.num_desc;
  }
  if (rx_descriptors == 0) set_region(config, 0, runtime);
  // A ring that has no receive queue's packets is as small as it gets.
  if (rx_descriptors == 0) rx_descriptors = kSmallestRing;
  if (!config.generator.empty()) {
    runtime.own_buffers = std::min(std::max(rx_descriptors, tx_descriptors), kGeneratorBuffers);
  }
  for (const Pipeline& pipeline : config.pipelines) {
    runtime.blocks_per_stream =
        std::max(runtime.blocks_per_stream, static_cast<std::uint32_t>(pipeline.kernels.size()));
  }
  runtime.datapath = Datapath::kGpu;
  runtime.gpu_ids.clear();
  for (const Interface& interface : config.interfaces) {
    runtime.gpu_ids.push_back(gpu_of_interface(config, interface));
  }
  runtime.rx_queues = runtime.tx_queues = static_cast<std::uint16_t>(queues);
  runtime.rx_descriptors = static_cast<std::uint16_t>(rx_descriptors);
  // Every packet that is received needs a place in the send queue, where any is sent; of strides
  // a packet may have many, and no more are received than there is room for.
  const std::uint32_t to_send = runtime.strides ? kSmallestRing : rx_descriptors;
  runtime.tx_descriptors = static_cast<std::uint16_t>(std::max(to_send, tx_descriptors));
  runtime.max_packet_length = frame_bytes(config.interfaces.front());
  runtime.promiscuous = config.interfaces.front().promiscuous;
  runtime.total_mbufs = std::max(buffers_in_regions(config, false),
                                 mbufs_in_queues(runtime, config.interfaces.size()));
}

}  // namespace ringside::pipeline
