// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Which queues each block joins, those that the file does not name included.
#include <algorithm>
#include <set>
#include <utility>

#include "lib/pipeline/plan.hpp"
#include "lib/pipeline/send_offload.hpp"

namespace ringside::pipeline {
namespace {

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

void add_pipelines(const Config& config, Plan& plan) {
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
void add_generators(const Config& config, Plan& plan) {
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

void set_streams(const Config& config, Plan& plan) {
  add_pipelines(config, plan);
  add_generators(config, plan);
}

}  // namespace ringside::pipeline
