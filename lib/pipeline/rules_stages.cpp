// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Each stage by itself.
#include <fmt/core.h>

#include <cctype>
#include <filesystem>

#include "lib/base/text.hpp"
#include "lib/pipeline/chains.hpp"
#include "lib/pipeline/rules.hpp"
#include "lib/pipeline/sizing.hpp"
#include "lib/pipeline/source_text.hpp"

namespace ringside::pipeline {
namespace {

/// The name stands in the text, and no longer one that begins with it. In an object it is followed
/// by NUL, and may be the end of another name, since linkers let names share their ends.
bool has_name(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if (end == text.size()) return true;
    const auto next = static_cast<unsigned char>(text[end]);
    if (std::isalnum(next) == 0 && next != '_') return true;
  }
  return false;
}

/// Rules for one stage at `path`.
class StageRules {
 public:
  StageRules(const RuleContext& context, const Pipeline& pipeline, std::string path)
      : context_(context), pipeline_(pipeline), path_(std::move(path)) {}

  void operator()(const RewriteStage& stage) const {
    if (stage.set.empty() && !stage.decrement_ttl) {
      error("rewrite", "writes nothing: give it set or decrement_ttl");
    }
  }
  void operator()(const SwapStage& stage) const {
    if (!stage.macs && !stage.ips && !stage.ports) {
      error("swap", "swaps nothing: set one of macs, ips and ports to true");
    }
  }
  void operator()(const SampleStage& stage) const {
    const Sink* const sink = sink_of(stage.to);
    if (sink != nullptr && !std::holds_alternative<PcapSink>(sink->params)) {
      error("sample.to",
            fmt::format("{} is no pcap sink: samples are written to captures", stage.to.name));
    }
  }
  void operator()(const MirrorStage& stage) const {
    const Sink* const sink = sink_of(stage.to);
    if (sink != nullptr && std::holds_alternative<DropSink>(sink->params)) {
      error("mirror.to", fmt::format("{} drops what it gets: name another sink", stage.to.name));
    } else if (sink != nullptr && std::holds_alternative<TxSink>(sink->params)) {
      error("mirror.to",
            fmt::format("{} sends: copies go to sinks of the kinds pcap and cpu", stage.to.name));
    }
  }
  void operator()(const IcmpEchoStage& stage) const {
    const Sink* const sink = sink_of(stage.to);
    if (sink != nullptr && !std::holds_alternative<TxSink>(sink->params)) {
      error("icmp_echo.to", fmt::format("{} sends nothing: answers need a tx sink", stage.to.name));
    }
  }
  void operator()(const LoadBalanceStage& stage) const {
    const IpAddress* first = nullptr;
    for (std::size_t i = 0; i < stage.backends.size(); ++i) {
      const auto& ip = stage.backends[i].ip;
      if (!ip) continue;
      if (first != nullptr && first->v6 != ip->v6) {
        error(fmt::format("load_balance.backends[{}].ip", i),
              "IPv4 and IPv6 backends in one stage: make a stage of each, with when");
      }
      if (first == nullptr) first = &*ip;
    }
  }
  void operator()(const PoliceStage& stage) const {
    if (stage.bit_rate.has_value() == stage.packet_rate.has_value()) {
      error("police", stage.bit_rate ? "two rates: give it bit_rate or packet_rate"
                                     : "no rate: give it bit_rate or packet_rate");
    }
    check_burst(stage);
    check_flows_of(stage);
  }
  void operator()(const SplitStage& stage) const {
    for (std::size_t i = 0; i < stage.rules.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (!covers(stage.rules[j].when, stage.rules[i].when)) continue;
        error(fmt::format("split.rules[{}].when", i),
              fmt::format("no packet gets here, rule {} has them all: put this one before it, or "
                          "remove it",
                          j));
        break;
      }
    }
  }
  void operator()(const UserStage& stage) const {
    if (stage.object.empty() == stage.source.empty()) {
      return error("user", stage.object.empty() ? "no file: give it object or source"
                                                : "two files: give it object or source");
    }
    const bool is_object = !stage.object.empty();
    const std::string& file = is_object ? stage.object : stage.source;
    constexpr std::size_t kMaxBytes = std::size_t{256} << 20;
    std::string why;
    const auto text = read_file(std::filesystem::path(context_.folder) / file, kMaxBytes, why);
    if (!text) {
      error(is_object ? "user.object" : "user.source", fmt::format("{}: {}", in_quotes(file), why));
    } else if (!has_name(*text, stage.function)) {
      error("user.function", fmt::format("{}: {} has no function of this name",
                                         in_quotes(stage.function), in_quotes(file)));
    }
  }
  template <class Other>
  void operator()(const Other&) const {}

 private:
  void check_burst(const PoliceStage& stage) const {
    if (!stage.burst) return;
    const std::uint64_t burst = *stage.burst;
    constexpr std::uint64_t kSecondsPerDay = 86400;
    const std::uint64_t a_day =
        stage.packet_rate.value_or(stage.bit_rate.value_or(0) / 8) * kSecondsPerDay;
    if (burst > a_day) {
      error("police.burst",
            fmt::format("{} is more than the rate gives in a day: use at most {}", burst, a_day));
    }
    if (stage.packet_rate) return;
    for (const QueueReference& source : pipeline_.sources) {
      if (source.interface >= context_.config.interfaces.size()) continue;
      const std::uint32_t largest = frame_bytes(context_.config.interfaces[source.interface]);
      if (burst >= largest) continue;
      error("police.burst", fmt::format("{} bytes are fewer than the largest frame of {}, {}: "
                                        "it would never pass; use that or more, or auto",
                                        burst, source.name, largest));
    }
  }
  void check_flows_of(const PoliceStage& stage) const {
    if ((stage.per == PoliceStage::Per::kFields) == stage.fields.empty()) {
      error("police", stage.fields.empty() ? "per: fields, and no fields: name some in fields"
                                           : "fields tell flows apart: set per to fields");
    }
    if (stage.buckets && !is_per_flow(stage.per)) {
      error("police.buckets",
            "only flows have a table of buckets: set per to a kind of flow, or "
            "remove it");
    }
  }
  const Sink* sink_of(const Target& target) const {
    return target.kind == Target::Kind::kSink && target.index < pipeline_.sinks.size()
               ? &pipeline_.sinks[target.index]
               : nullptr;
  }
  /// Not about what follows from another error in the same place.
  void error(std::string_view where, std::string text) const {
    if (context_.problems.any_error_in(path_)) return;
    context_.problems.error(fmt::format("{}.{}", path_, where), std::move(text));
  }

  const RuleContext& context_;
  const Pipeline& pipeline_;
  std::string path_;
};

}  // namespace

void check_stages(const RuleContext& context) {
  for (std::size_t i = 0; i < context.config.pipelines.size(); ++i) {
    const Pipeline& pipeline = context.config.pipelines[i];
    for (const Chain& chain : chains_of(pipeline, fmt::format("pipelines[{}]", i))) {
      for (std::size_t j = 0; j < chain.stages->size(); ++j) {
        std::visit(StageRules(context, pipeline, fmt::format("{}[{}]", chain.path, j)),
                   (*chain.stages)[j].params);
      }
    }
  }
}

}  // namespace ringside::pipeline
