// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the format has and the GPU data path has not, or has one of for all.
#include <fmt/core.h>

#include "lib/pipeline/rules.hpp"
#include "lib/pipeline/sizing.hpp"

namespace ringside::pipeline {
namespace {

/// A value that all have in common.
template <class T>
class OneValue {
 public:
  explicit OneValue(Problems& problems) : problems_(problems) {}

  /// `path`: of the value. `owner`: whose it is.
  void take(const T& value, const std::string& path, const std::string& owner) {
    if (problems_.any_error_in(path)) return;
    if (owner_.empty()) {
      value_ = value;
      owner_ = owner;
    } else if (!(value == value_)) {
      differs_ = true;
      problems_.error(path,
                      fmt::format("{} and {} differ in it, and the data path has one for all: make "
                                  "them equal",
                                  owner, owner_));
    }
  }

  bool differs() const { return differs_; }

 private:
  Problems& problems_;
  std::string owner_;
  bool differs_ = false;
  T value_{};
};

/// Of all regions that hold the same part of packets.
struct PartBuffers {
  explicit PartBuffers(Problems& problems) : kind(problems), size(problems) {}
  OneValue<MemoryRegion::Kind> kind;
  OneValue<std::uint32_t> size;

  /// `mtu_differs`: which would be the reason for automatic sizes that differ.
  void take(const Config& config, std::size_t index, bool mtu_differs) {
    if (index >= config.memory_regions.size()) return;
    const MemoryRegion& region = config.memory_regions[index];
    const std::string path = fmt::format("memory_regions[{}]", index);
    kind.take(region.kind, path + ".kind", region.name);
    if (!region.buf_size && mtu_differs) return;
    size.take(region.buf_size.value_or(automatic_buf_size(config, index)), path + ".buf_size",
              region.name);
  }
};

void refuse_differences(const RuleContext& context) {
  const Config& config = context.config;
  OneValue<std::uint32_t> rx_descriptors(context.problems), batch(context.problems),
      tx_descriptors(context.problems);
  OneValue<std::uint16_t> mtu(context.problems);
  OneValue<bool> promiscuous(context.problems);
  PartBuffers headers(context.problems), packets(context.problems);
  for (std::size_t i = 0; i < config.interfaces.size(); ++i) {
    mtu.take(config.interfaces[i].mtu, fmt::format("interfaces[{}].mtu", i),
             config.interfaces[i].name);
  }
  for (std::size_t i = 0; i < config.interfaces.size(); ++i) {
    const Interface& interface = config.interfaces[i];
    const std::string path = fmt::format("interfaces[{}]", i);
    promiscuous.take(interface.promiscuous, path + ".promiscuous", interface.name);
    for (std::size_t j = 0; j < interface.rx.queues.size(); ++j) {
      const RxQueue& queue = interface.rx.queues[j];
      const std::string queue_path = fmt::format("{}.rx.queues[{}]", path, j);
      const std::string name = interface.name + "." + queue.name;
      rx_descriptors.take(queue.num_desc, queue_path + ".num_desc", name);
      batch.take(queue.batch_size, queue_path + ".batch_size", name);
      if (queue.memory_regions.empty() || is_for_cpu(config, queue)) continue;
      packets.take(config, queue.memory_regions.back().index, mtu.differs());
      if (queue.memory_regions.size() == 1) continue;
      headers.take(config, queue.memory_regions.front().index, mtu.differs());
    }
    for (std::size_t j = 0; j < interface.tx.queues.size(); ++j) {
      const TxQueue& queue = interface.tx.queues[j];
      tx_descriptors.take(queue.num_desc, fmt::format("{}.tx.queues[{}].num_desc", path, j),
                          interface.name + "." + queue.name);
    }
  }
}

/// A kernel takes packets whole, or in two parts.
void refuse_some_split_headers(const RuleContext& context) {
  const auto parts = [](const RxQueue& queue) { return queue.memory_regions.size(); };
  const RxQueue* first = nullptr;
  std::string first_name;
  for (std::size_t i = 0; i < context.config.interfaces.size(); ++i) {
    const Interface& interface = context.config.interfaces[i];
    for (std::size_t j = 0; j < interface.rx.queues.size(); ++j) {
      const RxQueue& queue = interface.rx.queues[j];
      const std::string path = fmt::format("interfaces[{}].rx.queues[{}].memory_regions", i, j);
      if (parts(queue) == 0 || context.problems.any_error_in(path)) continue;
      const std::string name = interface.name + "." + queue.name;
      if (first == nullptr) {
        first = &queue;
        first_name = name;
      } else if (parts(queue) != parts(*first)) {
        context.problems.error(path,
                               fmt::format("{} has {} and {} {}: either all queues split headers "
                                           "from data, or none does",
                                           name, parts(queue), first_name, parts(*first)));
      }
    }
  }
}

/// Kernels hand packets on to each other whole.
void refuse_split_headers_in_kernels(const RuleContext& context, const Pipeline& pipeline,
                                     const std::string& path) {
  if (pipeline.kernels.size() < 2 || context.problems.any_error_in(path)) return;
  for (const QueueReference& source : pipeline.sources) {
    if (source.interface >= context.config.interfaces.size()) continue;
    const std::vector<RxQueue>& queues = context.config.interfaces[source.interface].rx.queues;
    if (source.queue >= queues.size() || queues[source.queue].memory_regions.size() < 2) continue;
    context.problems.error(
        path + ".kernels",
        fmt::format("{} kernels, and {} splits headers from data: put the stages "
                    "into one, or name one region",
                    pipeline.kernels.size(), source.name));
    return;
  }
}

/// A block has one send queue.
void refuse_second_send_queues(const RuleContext& context, const Pipeline& pipeline,
                               const std::string& path) {
  const TxSink* first = nullptr;
  for (std::size_t i = 0; i < pipeline.sinks.size(); ++i) {
    const auto* const tx = std::get_if<TxSink>(&pipeline.sinks[i].params);
    if (tx == nullptr) continue;
    if (first == nullptr) {
      first = tx;
      continue;
    }
    for (std::size_t j = 0; j < std::min(tx->queues.size(), first->queues.size()); ++j) {
      if (tx->queues[j].name == first->queues[j].name) continue;
      const std::string queue_path = fmt::format("{}.sinks[{}].tx.queues[{}]", path, i, j);
      if (context.problems.any_error_in(queue_path) || j >= pipeline.sources.size()) continue;
      context.problems.error(
          queue_path, fmt::format("packets of {} leave by {} already, and a block has one send "
                                  "queue: name that, or make a pipeline for each",
                                  pipeline.sources[j].name, first->queues[j].name));
    }
  }
}

/// They lie whole in a buffer, which would be one for the data alone.
void refuse_generators_beside_split_headers(const RuleContext& context) {
  const Config& config = context.config;
  for (std::size_t i = 0; !config.generator.empty() && i < config.interfaces.size(); ++i) {
    for (std::size_t j = 0; j < config.interfaces[i].rx.queues.size(); ++j) {
      if (config.interfaces[i].rx.queues[j].memory_regions.size() < 2) continue;
      context.problems.error(
          fmt::format("interfaces[{}].rx.queues[{}].memory_regions", i, j),
          "frames of generators lie whole in a buffer, and those of the second region hold data "
          "alone: name one region, or leave the generators out");
    }
  }
}

}  // namespace

void check_plan(const RuleContext& context) {
  const Config& config = context.config;
  if (config.pipelines.empty() && config.generator.empty() && !context.problems.any_error()) {
    context.problems.error(Mark{1, 1}, "pipelines", "no pipeline and no generator: describe one");
  }
  if (!config.generator.empty() && !has_rx_queues(config) && !config.memory_regions.empty() &&
      config.memory_regions.front().kind == MemoryRegion::Kind::kHuge) {
    context.problems.error(
        "memory_regions[0].kind",
        "the generators' frames lie here, and no kernel can write memory of kind "
        "huge: use device or host_pinned");
  }
  refuse_differences(context);
  refuse_some_split_headers(context);
  refuse_generators_beside_split_headers(context);
  for (std::size_t i = 0; i < config.pipelines.size(); ++i) {
    const std::string path = fmt::format("pipelines[{}]", i);
    refuse_split_headers_in_kernels(context, config.pipelines[i], path);
    refuse_second_send_queues(context, config.pipelines[i], path);
  }
}

}  // namespace ringside::pipeline
