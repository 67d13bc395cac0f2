// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Who drives which queue, and where packets leave.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "lib/base/text.hpp"
#include "lib/pipeline/rules.hpp"
#include "lib/pipeline/sizing.hpp"

namespace ringside::pipeline {
namespace {

const RxQueue* rx_queue(const Config& config, const QueueReference& reference) {
  if (reference.interface >= config.interfaces.size()) return nullptr;
  const auto& queues = config.interfaces[reference.interface].rx.queues;
  return reference.queue < queues.size() ? &queues[reference.queue] : nullptr;
}

const TxQueue* tx_queue(const Config& config, const QueueReference& reference) {
  if (reference.interface >= config.interfaces.size()) return nullptr;
  const auto& queues = config.interfaces[reference.interface].tx.queues;
  return reference.queue < queues.size() ? &queues[reference.queue] : nullptr;
}

/// A queue belongs to one block of one kernel.
class Owners {
 public:
  explicit Owners(Problems& problems) : problems_(problems) {}

  /// `block`: whose it is to be; the same one may claim it again.
  void claim(const QueueReference& queue, const std::string& path, std::string_view verb,
             const std::string& block) {
    if (queue.queue == kUnresolved) return;
    const auto [owner, is_new] = owners_.try_emplace(queue.name, path);
    if (is_new) blocks_[queue.name] = block;
    if (is_new || blocks_[queue.name] == block) return;
    problems_.error(
        path, fmt::format("{} is {} by {} (line {}) already: a queue belongs to one block",
                          queue.name, verb, owner->second, problems_.mark_of(owner->second).line));
  }
  bool owned(const std::string& name) const { return owners_.contains(name); }

 private:
  Problems& problems_;
  std::map<std::string, std::string> owners_;
  std::map<std::string, std::string> blocks_;
};

template <class Visit>
void for_each_sink(const Config& config, Visit visit) {
  for (std::size_t i = 0; i < config.pipelines.size(); ++i) {
    const Pipeline& pipeline = config.pipelines[i];
    for (std::size_t j = 0; j < pipeline.sinks.size(); ++j) {
      visit(pipeline, pipeline.sinks[j], fmt::format("pipelines[{}].sinks[{}]", i, j));
    }
  }
}

void check_unread(const RuleContext& context, const Owners& owners) {
  if (context.problems.any_error_in("pipelines")) return;
  if (context.config.pipelines.empty() && context.problems.any_error()) return;
  for (std::size_t i = 0; i < context.config.interfaces.size(); ++i) {
    const Interface& interface = context.config.interfaces[i];
    for (std::size_t j = 0; j < interface.rx.queues.size(); ++j) {
      const std::string name = interface.name + "." + interface.rx.queues[j].name;
      if (owners.owned(name)) continue;
      context.problems.error(fmt::format("interfaces[{}].rx.queues[{}]", i, j),
                             fmt::format("no pipeline reads {}: name it in one's sources, or "
                                         "remove it",
                                         name));
    }
  }
}

void check_pair(const RuleContext& context, const QueueReference& source,
                const QueueReference& sink, const std::string& path) {
  const RxQueue* const rx = rx_queue(context.config, source);
  const TxQueue* const tx = tx_queue(context.config, sink);
  if (rx == nullptr || tx == nullptr) return;
  if (context.problems.any_error_in(
          fmt::format("interfaces[{}].rx.queues[{}]", source.interface, source.queue)) ||
      context.problems.any_error_in(
          fmt::format("interfaces[{}].tx.queues[{}]", sink.interface, sink.queue))) {
    return;
  }
  // Of a ring that packets share buffers of, num_desc are strides, of which a packet may have many.
  const bool strides = context.config.interfaces[source.interface].rx.striding.has_value();
  if (!strides && tx->num_desc < rx->num_desc) {
    context.problems.error(
        path, fmt::format("{} holds {} packets, fewer than the {} of {}: every received packet "
                          "needs a place, make num_desc equal",
                          sink.name, tx->num_desc, rx->num_desc, source.name));
  }
  const std::uint16_t mtu = context.config.interfaces[source.interface].mtu;
  const std::uint16_t sink_mtu = context.config.interfaces[sink.interface].mtu;
  if (sink_mtu < mtu) {
    context.problems.warn(path, fmt::format("{} has an MTU of {}: larger packets of {} ({}) will "
                                            "not leave",
                                            sink.name, sink_mtu, source.name, mtu));
  }
}

void check_tx_sink(const RuleContext& context, const Pipeline& pipeline, const TxSink& sink,
                   const std::string& path) {
  if (sink.queues.empty() || pipeline.sources.empty()) return;  // said already
  if (sink.queues.size() != pipeline.sources.size()) {
    context.problems.error(path + ".tx.queues",
                           fmt::format("{} send queues for {} sources of {}: name one for each",
                                       sink.queues.size(), pipeline.sources.size(), pipeline.name));
    return;
  }
  for (std::size_t i = 0; i < sink.queues.size(); ++i) {
    check_pair(context, pipeline.sources[i], sink.queues[i],
               fmt::format("{}.tx.queues[{}]", path, i));
  }
}

/// A file or device that two sinks would write.
void claim_output(const RuleContext& context, std::map<std::string, std::string>& outputs,
                  const std::string& name, const std::string& path) {
  const auto [first, is_new] = outputs.try_emplace(name, path);
  if (!is_new) {
    context.problems.error(path, fmt::format("{} is written by {} already: name another one",
                                             in_quotes(name), first->second));
  }
}

void check_folder(const RuleContext& context, const std::string& file, const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::error_code failure;
  if (folder.empty() || std::filesystem::is_directory(folder, failure)) return;
  context.problems.error(
      path, fmt::format("{}: no such folder, make it before", in_quotes(folder.string())));
}

}  // namespace

void check_queue_owners(const RuleContext& context) {
  const Config& config = context.config;
  Owners readers(context.problems);
  Owners senders(context.problems);
  for (std::size_t i = 0; i < config.pipelines.size(); ++i) {
    const auto& sources = config.pipelines[i].sources;
    for (std::size_t j = 0; j < sources.size(); ++j) {
      const std::string path = fmt::format("pipelines[{}].sources[{}]", i, j);
      readers.claim(sources[j], path, "read", path);
      const RxQueue* const queue = rx_queue(config, sources[j]);
      if (queue == nullptr || !is_for_cpu(config, *queue)) continue;
      context.problems.error(path, fmt::format("{} has memory of kind huge, which no kernel can "
                                               "read: use device or host_pinned",
                                               sources[j].name));
    }
  }
  for_each_sink(config, [&](const Pipeline& pipeline, const Sink& sink, const std::string& path) {
    const TxSink* const tx = std::get_if<TxSink>(&sink.params);
    if (tx == nullptr) return;
    for (std::size_t i = 0; i < tx->queues.size(); ++i) {
      senders.claim(tx->queues[i], fmt::format("{}.tx.queues[{}]", path, i), "used",
                    fmt::format("{}[{}]", pipeline.name, i));
    }
  });
  for (std::size_t i = 0; i < config.generator.size(); ++i) {
    const auto& queues = config.generator[i].queues;
    for (std::size_t j = 0; j < queues.size(); ++j) {
      const std::string path = fmt::format("generator[{}].queues[{}]", i, j);
      senders.claim(queues[j], path, "used", path);
    }
  }
  check_unread(context, readers);
}

void check_sinks(const RuleContext& context) {
  std::map<std::string, std::string> files;
  std::map<std::string, std::string> taps;
  std::map<std::string, std::string> returns;
  for_each_sink(context.config,
                [&](const Pipeline& pipeline, const Sink& sink, const std::string& path) {
                  if (const TxSink* const tx = std::get_if<TxSink>(&sink.params)) {
                    check_tx_sink(context, pipeline, *tx, path);
                  } else if (const PcapSink* const pcap = std::get_if<PcapSink>(&sink.params)) {
                    claim_output(context, files, pcap->file, path + ".pcap.file");
                    check_folder(context, pcap->file, path + ".pcap.file");
                  } else if (const CpuSink* const cpu = std::get_if<CpuSink>(&sink.params)) {
                    claim_output(context, taps, cpu->tap, path + ".cpu.tap");
                    if (cpu->interface.name.empty()) return;
                    // Two devices of one address would take each other's packets.
                    claim_output(context, returns, cpu->interface.name, path + ".cpu.interface");
                  }
                });
  check_folder(context, context.config.telemetry.json, "telemetry.json");
}

}  // namespace ringside::pipeline
