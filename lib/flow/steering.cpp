// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/flow/steering.hpp"

#include <rte_ethdev.h>
#include <rte_flow.h>

#include <algorithm>
#include <array>

#include "lib/base/error.hpp"
#include "lib/flow/external_queue.hpp"

namespace ringside {
namespace {

constexpr std::uint32_t kRootGroup = 0;

constexpr rte_flow_item kEveryPacket[] = {{.type = RTE_FLOW_ITEM_TYPE_ETH},
                                          {.type = RTE_FLOW_ITEM_TYPE_END}};

std::vector<rte_flow_item> pattern_of(const FlowSpec& flow) {
  std::vector<rte_flow_item> pattern;
  for (const FlowHeader& header : flow.pattern) {
    rte_flow_item item{};
    item.type = static_cast<rte_flow_item_type>(header.type);
    if (!header.spec.empty()) {
      item.spec = header.spec.data();
      item.mask = header.mask.data();
    }
    pattern.push_back(item);
  }
  if (pattern.empty()) pattern.push_back(kEveryPacket[0]);
  pattern.push_back(kEveryPacket[1]);
  return pattern;
}

/// A flow's actions, and what they point at.
class FlowActions {
 public:
  FlowActions(const FlowSpec& flow, std::span<const std::uint16_t> ids) {
    for (const std::uint16_t queue : flow.queues) ids_.push_back(ids[queue]);
    if (flow.mark) {
      mark_.id = *flow.mark;
      add(RTE_FLOW_ACTION_TYPE_MARK, &mark_);
    }
    if (flow.counted) add(RTE_FLOW_ACTION_TYPE_COUNT, nullptr);
    if (ids_.empty()) {
      add(RTE_FLOW_ACTION_TYPE_DROP, nullptr);
    } else if (ids_.size() == 1) {
      queue_.index = ids_.front();
      add(RTE_FLOW_ACTION_TYPE_QUEUE, &queue_);
    } else {
      check_queue_list(ids_);
      rss_.types =
          flow.rss_types != 0 ? flow.rss_types : RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP;
      rss_.queue = ids_.data();
      rss_.queue_num = static_cast<std::uint32_t>(ids_.size());
      add(RTE_FLOW_ACTION_TYPE_RSS, &rss_);
    }
    add(RTE_FLOW_ACTION_TYPE_END, nullptr);
  }
  FlowActions(const FlowActions&) = delete;

  std::span<const rte_flow_action> get() const { return actions_; }

 private:
  void add(rte_flow_action_type type, const void* conf) { actions_.push_back({type, conf}); }

  std::vector<std::uint16_t> ids_;
  rte_flow_action_mark mark_{};
  rte_flow_action_queue queue_{};
  rte_flow_action_rss rss_{};
  std::vector<rte_flow_action> actions_;
};

}  // namespace

void check_queue_list(std::span<const std::uint16_t> ids) {
  if (ids.empty()) throw usage_error("a flow rule without queues", "name at least one");
  const auto external = [](std::uint16_t id) { return id >= ExternalQueue::kFirstId; };
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (external(ids[i]) != external(ids[0])) {
      throw usage_error(fmt::format("queues {} and {} in one flow rule", ids[0], ids[i]),
                        fmt::format("queues of the PMD and exported ones (from {} on) do not mix",
                                    ExternalQueue::kFirstId));
    }
    if (std::ranges::find(ids.first(i), ids[i]) != ids.begin() + static_cast<std::ptrdiff_t>(i)) {
      throw usage_error(fmt::format("queue {} twice in one flow rule", ids[i]), "name it once");
    }
  }
}

Steering::Steering(std::uint16_t port, std::span<const std::uint16_t> ids, const PortFlows& flows,
                   std::uint32_t turn) {
  const FlowSpec rest{.name = "unmatched", .pattern = {}, .queues = flows.unmatched};
  if (flows.flows.empty() && flows.unmatched.size() == 1) {
    enter_.emplace(port, FlowPlace{kRootGroup, turn % 2}, kEveryPacket,
                   FlowActions(rest, ids).get());
    return;
  }
  // In a group of their own, with one rule that leads to it: it comes last and goes first, so that
  // no packet meets only some of them. The PMD makes several hardware rules of one with RSS.
  const std::uint32_t group = 1 + turn % 2;
  const auto add = [&](const FlowSpec& flow) {
    try {
      const auto priority = static_cast<std::uint32_t>(rules_.size());
      rules_.emplace_back(port, FlowPlace{group, priority}, pattern_of(flow),
                          FlowActions(flow, ids).get());
    } catch (const Error& error) {
      throw Error(fmt::format("flow {}: {}", flow.name, error.what()), "");
    }
  };
  for (const FlowSpec& flow : flows.flows) {
    if (flow.counted) counted_.push_back({flow.name, rules_.size()});
    add(flow);
  }
  add(rest);
  const rte_flow_action_jump jump{.group = group};
  const std::array<rte_flow_action, 2> actions{rte_flow_action{RTE_FLOW_ACTION_TYPE_JUMP, &jump},
                                               rte_flow_action{RTE_FLOW_ACTION_TYPE_END, nullptr}};
  enter_.emplace(port, FlowPlace{kRootGroup, turn % 2}, kEveryPacket, actions);
}

std::vector<FlowHits> Steering::counts() const {
  std::vector<FlowHits> counts;
  for (const Counted& flow : counted_) {
    const FlowRule::Hits hits = rules_[flow.rule].hits();
    counts.push_back({flow.name, hits.packets, hits.bytes});
  }
  return counts;
}

}  // namespace ringside
