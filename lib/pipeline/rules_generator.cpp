// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Frames of our own.
#include <fmt/core.h>

#include <algorithm>

#include "lib/pipeline/rules.hpp"
#include "lib/pipeline/sizing.hpp"

namespace ringside::pipeline {
namespace {

void check_fields(const RuleContext& context, const Generator& generator, const std::string& path) {
  for (const FieldValue& value : generator.set) {
    const Item item = field_info(value.field).item;
    if (item == Item::kEth || item == Item::kIpv4 || item == Item::kUdp) continue;
    context.problems.error(fmt::format("{}.set.{}", path, item_info(item).name),
                           "the frame has no such header, it is UDP over IPv4: remove it");
  }
  for (const FieldRange& vary : generator.vary) {
    const FieldInfo& info = field_info(vary.field);
    const std::string field = fmt::format("{}.{}", item_info(info.item).name, info.name);
    if (std::ranges::find(generator.set, vary.field, &FieldValue::field) != generator.set.end()) {
      context.problems.error(fmt::format("{}.vary.{}", path, field),
                             "set gives all frames one value: leave it out there or here");
    }
    if (vary.field == stages::Field::kIpv4Dst && generator.flows > 1) {
      context.problems.error(path + ".flows",
                             "it counts ipv4.dst up, for which vary has a range: leave it out");
    }
  }
}

/// What is drawn, and by which seed.
void check_order(const RuleContext& context, const Generator& generator, const std::string& path) {
  if (context.problems.any_error_in(path)) return;
  if (generator.order == Generator::Order::kSequential) {
    if (generator.seed == 0) return;
    context.problems.error(path + ".seed",
                           "no value is drawn, they count up: set order to random, or remove it");
    return;
  }
  const bool one_flow =
      generator.flows == 1 && std::ranges::all_of(generator.vary, [](const FieldRange& range) {
        return range.first == range.last;
      });
  if (one_flow) {
    context.problems.error(
        path + ".order", "there is one flow, so nothing to draw: add flows or vary, or remove it");
  }
}

void check_sizes(const RuleContext& context, const Generator& generator, const std::string& path) {
  for (const QueueReference& queue : generator.queues) {
    if (queue.interface >= context.config.interfaces.size()) continue;
    const std::uint32_t largest = frame_bytes(context.config.interfaces[queue.interface]);
    for (std::size_t j = 0; j < generator.sizes.size(); ++j) {
      if (generator.sizes[j] <= largest) continue;
      context.problems.error(
          fmt::format("{}.sizes[{}]", path, j),
          fmt::format("frames of {} bytes do not fit the MTU behind {}: use at most {}",
                      generator.sizes[j], queue.name, largest));
    }
  }
}

}  // namespace

void check_generator(const RuleContext& context) {
  for (std::size_t i = 0; i < context.config.generator.size(); ++i) {
    const Generator& generator = context.config.generator[i];
    const std::string path = fmt::format("generator[{}]", i);
    if (generator.bit_rate && generator.packet_rate) {
      context.problems.error(path + ".packet_rate", "two rates: keep bit_rate or packet_rate");
    }
    check_fields(context, generator, path);
    check_order(context, generator, path);
    check_sizes(context, generator, path);
  }
}

}  // namespace ringside::pipeline
