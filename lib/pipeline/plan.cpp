// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/plan.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/pipeline/flow_patterns.hpp"
#include "lib/pipeline/gpus.hpp"
#include "lib/pipeline/send_offload.hpp"
#include "lib/pipeline/sizing.hpp"
#include "lib/runtime/config_check.hpp"

namespace ringside::pipeline {
namespace {

constexpr std::uint32_t kSmallestRing = 64;
/// Frames that a generator's queue has with the NIC at most.
constexpr std::uint32_t kGeneratorBuffers = 512;
/// Ethernet header and FCS: what a packet is longer than the MTU.
constexpr std::uint32_t kFraming = 18;

std::vector<std::string> eal_arguments(const Config& config, std::span<const std::string> more) {
  std::vector<std::string> arguments = {"ringside"};
  if (!config.eal.cores.empty()) {
    arguments.insert(arguments.end(), {"-l", fmt::format("{}", fmt::join(config.eal.cores, ","))});
    arguments.push_back(fmt::format("--main-lcore={}", config.eal.cores.front()));
  }
  if (!config.eal.hugepages) arguments.push_back("--no-huge");
  if (config.eal.in_memory) arguments.push_back("--in-memory");
  for (const std::string& argument : config.eal.extra_args) arguments.push_back(argument);
  for (const Interface& interface : config.interfaces) {
    arguments.insert(arguments.end(), {"-a", interface.address});
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

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
    if (used) buffers += config.memory_regions[i].num_bufs.value();
  }
  return buffers;
}

void set_region(const MemoryRegion& region, RuntimeConfig& runtime) {
  runtime.mempool = pool_kind(region);
  runtime.mbuf_size = static_cast<std::uint16_t>(region.buf_size.value());
}

/// What queues and regions have in common, which check_plan() has seen to.
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
    for (const RxQueue& queue : interface.rx.queues) {
      const MemoryRegion& region = config.memory_regions.at(queue.memory_regions.back().index);
      rx_descriptors = queue.num_desc;
      runtime.burst = static_cast<std::uint16_t>(std::min(queue.batch_size, kMaxBurst));
      set_region(region, runtime);
      if (queue.memory_regions.size() == 1) continue;
      const MemoryRegion& headers = config.memory_regions.at(queue.memory_regions.front().index);
      runtime.headers =
          HeaderBuffers{.mempool = pool_kind(headers),
                        .mbuf_size = static_cast<std::uint16_t>(headers.buf_size.value()),
                        .mbufs = buffers_in_regions(config, true)};
    }
    for (const TxQueue& queue : interface.tx.queues) tx_descriptors = queue.num_desc;
  }
  if (rx_descriptors == 0) set_region(config.memory_regions.front(), runtime);
  // A ring that has no receive queue's packets is as small as it gets.
  if (rx_descriptors == 0) rx_descriptors = kSmallestRing;
  if (!config.generator.empty()) {
    runtime.own_buffers = std::min(std::max(rx_descriptors, tx_descriptors), kGeneratorBuffers);
  }
  runtime.rx_queues = runtime.tx_queues = static_cast<std::uint16_t>(queues);
  runtime.rx_descriptors = static_cast<std::uint16_t>(rx_descriptors);
  // Every packet that is received needs a place in the send queue.
  runtime.tx_descriptors = static_cast<std::uint16_t>(std::max(rx_descriptors, tx_descriptors));
  runtime.max_packet_length = config.interfaces.front().mtu + kFraming;
  runtime.promiscuous = config.interfaces.front().promiscuous;
  runtime.total_mbufs = std::max(buffers_in_regions(config, false),
                                 mbufs_in_queues(runtime, config.interfaces.size()));
}

constexpr std::uint64_t kNsPerUs = 1000;

const TxQueue& tx_queue(const Config& config, const QueueReference& queue) {
  return config.interfaces.at(queue.interface).tx.queues.at(queue.queue);
}
const RxQueue& rx_queue(const Config& config, const QueueReference& queue) {
  return config.interfaces.at(queue.interface).rx.queues.at(queue.queue);
}

/// The send queue of a pipeline's source: the same of all of its sinks that send.
std::optional<QueueReference> send_queue(const Pipeline& pipeline, std::size_t source) {
  for (const Sink& sink : pipeline.sinks) {
    const auto* const tx = std::get_if<TxSink>(&sink.params);
    if (tx != nullptr) return tx->queues.at(source);
  }
  return std::nullopt;
}

void set_streams(const Config& config, Plan& plan) {
  using Queue = std::pair<std::uint16_t, std::uint16_t>;
  std::set<Queue> taken;
  for (const Generator& generator : config.generator) {
    for (const QueueReference& queue : generator.queues) {
      taken.emplace(queue.interface, queue.queue);
    }
  }
  std::vector<PlannedStream*> without;
  std::size_t count = 0;
  for (const Pipeline& pipeline : config.pipelines) count += pipeline.sources.size();
  plan.streams.reserve(count);
  for (std::size_t p = 0; p < config.pipelines.size(); ++p) {
    const Pipeline& pipeline = config.pipelines[p];
    for (std::size_t i = 0; i < pipeline.sources.size(); ++i) {
      const QueueReference& from = pipeline.sources[i];
      PlannedStream& stream = plan.streams.emplace_back(
          PlannedStream{p,
                        {from.interface, from.queue, from.interface, from.queue},
                        {},
                        kNsPerUs * rx_queue(config, from).timeout_us});
      const std::optional<QueueReference> to = send_queue(pipeline, i);
      if (!to) {
        without.push_back(&stream);
        continue;
      }
      stream.queues.tx_port = to->interface;
      stream.queues.tx_queue = to->queue;
      stream.queues.tx_bit_rate = tx_queue(config, *to).pacing.value_or(0);
      stream.offload = send_offload(tx_queue(config, *to));
      taken.emplace(to->interface, to->queue);
    }
  }
  // A block that never sends has a send queue all the same: one that nobody else has.
  for (PlannedStream* const stream : without) {
    StreamQueues& queues = stream->queues;
    for (queues.tx_queue = 0; !taken.emplace(queues.tx_port, queues.tx_queue).second;) {
      if (++queues.tx_queue < plan.runtime.tx_queues) continue;
      queues.tx_queue = 0;
      queues.tx_port = static_cast<std::uint16_t>((queues.tx_port + 1U) % config.interfaces.size());
    }
  }
  for (const PlannedStream& stream : plan.streams) plan.runtime.streams.push_back(stream.queues);
}

/// Each has a receive queue too, which nothing leads to: one that nobody else has. There is one,
/// since a stream has one of each, and there are as many of the ones as of the others.
void set_sources(const Config& config, Plan& plan) {
  std::set<std::pair<std::uint16_t, std::uint16_t>> taken;
  for (const StreamQueues& stream : plan.runtime.streams) {
    taken.emplace(stream.rx_port, stream.rx_queue);
  }
  for (std::size_t g = 0; g < config.generator.size(); ++g) {
    const std::vector<QueueReference>& queues = config.generator[g].queues;
    for (std::size_t i = 0; i < queues.size(); ++i) {
      const TxQueue& queue = tx_queue(config, queues[i]);
      plan.sources.push_back({g, i, send_offload(queue)});
      StreamQueues stream{queues[i].interface, 0, queues[i].interface, queues[i].queue};
      while (!taken.emplace(stream.rx_port, stream.rx_queue).second) {
        if (++stream.rx_queue < plan.runtime.rx_queues) continue;
        stream.rx_queue = 0;
        stream.rx_port =
            static_cast<std::uint16_t>((stream.rx_port + 1U) % config.interfaces.size());
      }
      stream.tx_bit_rate = queue.pacing.value_or(0);
      plan.runtime.streams.push_back(stream);
    }
  }
}

}  // namespace

Plan make_plan(const Config& config, std::span<const std::string> more) {
  Plan plan;
  RuntimeConfig& runtime = plan.runtime;
  runtime.eal_args = eal_arguments(config, more);
  runtime.datapath = Datapath::kGpu;
  runtime.gpu_ids.clear();
  for (const Interface& interface : config.interfaces) {
    runtime.gpu_ids.push_back(gpu_of_interface(config, interface));
  }
  set_queues(config, runtime);
  if (!config.pipelines.empty()) {
    const Kernel& kernel = config.pipelines.front().kernels.front();
    runtime.threads_per_block = kernel.threads_per_block.value_or(0);
  }
  for (const Pipeline& pipeline : config.pipelines) {
    runtime.blocks_per_stream =
        std::max(runtime.blocks_per_stream, static_cast<std::uint32_t>(pipeline.kernels.size()));
  }
  for (const Interface& interface : config.interfaces) {
    runtime.flows.push_back(port_flows(interface));
  }
  set_streams(config, plan);
  set_sources(config, plan);
  return plan;
}

}  // namespace ringside::pipeline
