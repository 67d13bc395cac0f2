// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/plan.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/pipeline/flow_patterns.hpp"
#include "lib/runtime/config_check.hpp"

namespace ringside::pipeline {
namespace {

/// Ethernet header and FCS: what a packet is longer than the MTU.
constexpr std::uint32_t kFraming = 18;

/// The one value that all have. `what` names it.
template <class T>
class OneValue {
 public:
  explicit OneValue(std::string_view what) : what_(what) {}
  void take(const T& value, const std::string& where) {
    if (where_.empty()) {
      value_ = value;
      where_ = where;
    } else if (!(value == value_)) {
      throw usage_error(fmt::format("{} and {} differ in {}", where_, where, what_),
                        "the GPU data path has one for all, make them equal");
    }
  }
  const T& get() const { return value_; }

 private:
  std::string_view what_;
  std::string where_;
  T value_{};
};

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

MempoolKind pool_kind(MemoryRegion::Kind kind, const std::string& region) {
  switch (kind) {
    case MemoryRegion::Kind::kDevice:
      return MempoolKind::kGpu;
    case MemoryRegion::Kind::kHostPinned:
      return MempoolKind::kGpuPinned;
    case MemoryRegion::Kind::kHuge:
      break;
  }
  throw usage_error(fmt::format("memory region {} is of the CPU alone", region),
                    "packets that kernels process need kind device or host_pinned");
}

void set_queues(const Config& config, RuntimeConfig& runtime) {
  OneValue<std::uint32_t> rx_descriptors("num_desc"), batch("batch_size"),
      tx_descriptors("num_desc"), buffer("buf_size");
  OneValue<std::uint16_t> mtu("mtu");
  OneValue<bool> promiscuous("promiscuous");
  OneValue<MempoolKind> pool("kind");
  std::size_t queues = 0;
  for (const Interface& interface : config.interfaces) {
    mtu.take(interface.mtu, interface.name);
    promiscuous.take(interface.promiscuous, interface.name);
    queues = std::max({queues, interface.rx.queues.size(), interface.tx.queues.size()});
    for (const RxQueue& queue : interface.rx.queues) {
      const std::string name = fmt::format("{}.{}", interface.name, queue.name);
      if (queue.memory_regions.size() != 1) {
        throw usage_error(fmt::format("{} splits headers from data", name),
                          "the GPU data path takes packets whole: name one memory region");
      }
      const MemoryRegion& region = config.memory_regions.at(queue.memory_regions[0].index);
      rx_descriptors.take(queue.num_desc, name);
      batch.take(queue.batch_size, name);
      pool.take(pool_kind(region.kind, region.name), region.name);
      buffer.take(region.buf_size.value(), region.name);
    }
    for (const TxQueue& queue : interface.tx.queues) {
      const std::string name = fmt::format("{}.{}", interface.name, queue.name);
      tx_descriptors.take(queue.num_desc, name);
      if (!queue.offloads.empty() || queue.pacing) {
        throw usage_error(fmt::format("{} asks for offloads or pacing", name),
                          "stages keep checksums right, and the stage police limits a rate");
      }
    }
  }
  runtime.rx_queues = runtime.tx_queues = static_cast<std::uint16_t>(queues);
  runtime.rx_descriptors = static_cast<std::uint16_t>(rx_descriptors.get());
  // Every packet that is received needs a place in the send queue.
  runtime.tx_descriptors =
      static_cast<std::uint16_t>(std::max(rx_descriptors.get(), tx_descriptors.get()));
  runtime.burst = static_cast<std::uint16_t>(std::min(batch.get(), kMaxBurst));
  runtime.mempool = pool.get();
  runtime.mbuf_size = static_cast<std::uint16_t>(buffer.get());
  runtime.max_packet_length = mtu.get() + kFraming;
  runtime.promiscuous = promiscuous.get();
  std::uint32_t buffers = 0;
  for (const MemoryRegion& region : config.memory_regions) buffers += region.num_bufs.value();
  runtime.total_mbufs = std::max(buffers, mbufs_in_queues(runtime, config.interfaces.size()));
}

/// The send queue of a pipeline's source, which all of its sinks that send must have in common.
std::optional<QueueReference> send_queue(const Pipeline& pipeline, std::size_t source) {
  std::optional<QueueReference> found;
  for (const Sink& sink : pipeline.sinks) {
    const auto* const tx = std::get_if<TxSink>(&sink.params);
    if (tx == nullptr) continue;
    const QueueReference& queue = tx->queues.at(source);
    if (found && (found->interface != queue.interface || found->queue != queue.queue)) {
      throw usage_error(
          fmt::format("pipeline {} sends the packets of {} by {} and by {}", pipeline.name,
                      pipeline.sources[source].name, found->name, queue.name),
          "a block has one send queue");
    }
    found = queue;
  }
  return found;
}

void set_streams(const Config& config, Plan& plan) {
  using Queue = std::pair<std::uint16_t, std::uint16_t>;
  std::set<Queue> taken;
  std::vector<PlannedStream*> without;
  std::size_t count = 0;
  for (const Pipeline& pipeline : config.pipelines) count += pipeline.sources.size();
  plan.streams.reserve(count);
  for (std::size_t p = 0; p < config.pipelines.size(); ++p) {
    const Pipeline& pipeline = config.pipelines[p];
    for (std::size_t i = 0; i < pipeline.sources.size(); ++i) {
      const QueueReference& from = pipeline.sources[i];
      PlannedStream& stream = plan.streams.emplace_back(
          PlannedStream{p, {from.interface, from.queue, from.interface, from.queue}});
      const std::optional<QueueReference> to = send_queue(pipeline, i);
      if (!to) {
        without.push_back(&stream);
        continue;
      }
      stream.queues.tx_port = to->interface;
      stream.queues.tx_queue = to->queue;
      if (!taken.emplace(to->interface, to->queue).second) {
        throw usage_error(fmt::format("two sources send by {}", to->name),
                          "a send queue belongs to one block");
      }
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

}  // namespace

Plan make_plan(const Config& config, std::span<const std::string> more) {
  if (!config.generator.empty()) {
    throw usage_error("the file has a generator", "run runs pipelines: leave it out");
  }
  if (config.pipelines.empty()) throw usage_error("the file has no pipeline", "describe one");
  Plan plan;
  RuntimeConfig& runtime = plan.runtime;
  runtime.eal_args = eal_arguments(config, more);
  runtime.datapath = Datapath::kGpu;
  runtime.gpu_id = config.gpu.id;
  set_queues(config, runtime);
  OneValue<std::uint32_t> threads("threads_per_block");
  for (const Pipeline& pipeline : config.pipelines) {
    for (const Kernel& kernel : pipeline.kernels) {
      threads.take(kernel.threads_per_block.value_or(0), kernel.name);
    }
  }
  runtime.threads_per_block = threads.get();
  for (const Interface& interface : config.interfaces) {
    runtime.flows.push_back(port_flows(interface));
  }
  set_streams(config, plan);
  return plan;
}

}  // namespace ringside::pipeline
