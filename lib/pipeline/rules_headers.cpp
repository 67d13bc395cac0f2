// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Header-data split: what stages look at has to be among the bytes that they get.
#include <fmt/core.h>

#include <algorithm>

#include "lib/pipeline/chains.hpp"
#include "lib/pipeline/rules.hpp"
#include "lib/pipeline/sizing.hpp"

namespace ringside::pipeline {
namespace {

/// A match of a stage, and its path from the stage on.
struct PlacedMatch {
  const Match* match;
  std::string path;
};

std::vector<PlacedMatch> matches_of(const Stage& stage) {
  std::vector<PlacedMatch> matches = {{&stage.when, "when"}};
  if (const auto* const match = std::get_if<MatchStage>(&stage.params)) {
    matches.push_back({&match->fields, "match.fields"});
  } else if (const auto* const split = std::get_if<SplitStage>(&stage.params)) {
    for (std::size_t i = 0; i < split->rules.size(); ++i) {
      matches.push_back({&split->rules[i].when, fmt::format("split.rules[{}].when", i)});
    }
  }
  return matches;
}

bool has(const Match& match, bool inner, std::initializer_list<Item> items) {
  return std::ranges::any_of(match.items, [&](const ItemMatch& item) {
    return item.inner == inner && std::ranges::find(items, item.item) != items.end();
  });
}

/// Bytes of the outer or the inner headers of a match, without options and extension headers.
std::uint32_t least_bytes(const Match& match, bool inner) {
  const bool in_tunnel = std::ranges::any_of(match.items, &ItemMatch::inner);
  const bool tunnel = !inner && (in_tunnel || has(match, false, {Item::kVxlan, Item::kGtpu}));
  if (inner && !in_tunnel) return 0;
  // GTP-U carries IP alone.
  const bool ethernet = !inner || has(match, false, {Item::kVxlan});
  std::uint32_t bytes = (ethernet ? 14 : 0) + (has(match, inner, {Item::kVlan}) ? 4 : 0);
  if (has(match, inner, {Item::kArp})) return bytes + 28;
  if (has(match, inner, {Item::kEcpri})) return bytes + 4;
  if (has(match, inner, {Item::kIpv6, Item::kIcmp6})) {
    bytes += 40;
  } else if (tunnel || has(match, inner, {Item::kIpv4, Item::kTcp, Item::kUdp, Item::kIcmp})) {
    bytes += 20;
  }
  if (has(match, inner, {Item::kTcp})) bytes += 20;
  if (tunnel || has(match, inner, {Item::kUdp, Item::kIcmp, Item::kIcmp6})) bytes += 8;
  return bytes + (tunnel ? 8 : 0);
}

/// The queue among a pipeline's sources that gives its stages the fewest bytes.
struct FirstPart {
  std::string queue;
  std::string region;
  std::uint32_t bytes;
};

std::optional<FirstPart> shortest_first_part(const Config& config, const Pipeline& pipeline) {
  std::optional<FirstPart> shortest;
  for (const QueueReference& source : pipeline.sources) {
    if (source.interface >= config.interfaces.size()) continue;
    const auto& queues = config.interfaces[source.interface].rx.queues;
    if (source.queue >= queues.size() || queues[source.queue].memory_regions.size() < 2) continue;
    const Reference& region = queues[source.queue].memory_regions.front();
    const std::uint32_t bytes = header_bytes(config, queues[source.queue]);
    if (shortest && shortest->bytes <= bytes) continue;
    shortest = {source.name, region.name, bytes};
  }
  return shortest;
}

}  // namespace

void check_headers(const RuleContext& context) {
  for (std::size_t i = 0; i < context.config.pipelines.size(); ++i) {
    const Pipeline& pipeline = context.config.pipelines[i];
    const auto first = shortest_first_part(context.config, pipeline);
    if (!first || context.problems.any_error_in("memory_regions")) continue;
    for (const Chain& chain : chains_of(pipeline, fmt::format("pipelines[{}]", i))) {
      for (std::size_t j = 0; j < chain.stages->size(); ++j) {
        for (const PlacedMatch& placed : matches_of((*chain.stages)[j])) {
          const std::uint32_t needed =
              least_bytes(*placed.match, false) + least_bytes(*placed.match, true);
          if (needed <= first->bytes) continue;
          context.problems.error(
              fmt::format("{}[{}].{}", chain.path, j, placed.path),
              fmt::format("these headers are {} bytes at least, stages get the first {} of {}'s "
                          "packets: set buf_size of {} to {} or more",
                          needed, first->bytes, first->queue, first->region, kHeadroom + needed));
        }
      }
    }
  }
}

}  // namespace ringside::pipeline
