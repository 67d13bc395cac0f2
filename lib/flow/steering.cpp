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
constexpr std::uint32_t kRssGroup = 1;

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

Steering::Steering(std::uint16_t port, std::span<const std::uint16_t> ids) {
  check_queue_list(ids);
  std::array<rte_flow_action, 2> actions{};
  actions[1].type = RTE_FLOW_ACTION_TYPE_END;
  if (ids.size() == 1) {
    const rte_flow_action_queue queue{.index = ids[0]};
    actions[0] = {.type = RTE_FLOW_ACTION_TYPE_QUEUE, .conf = &queue};
    enter_.emplace(port, kRootGroup, actions);
    return;
  }
  // The PMD makes one hardware rule a protocol of this. The jump to them comes last and goes first,
  // so that no packet meets only some of them.
  rte_flow_action_rss rss{};
  rss.types = RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP;
  rss.queue = ids.data();
  rss.queue_num = static_cast<std::uint32_t>(ids.size());
  actions[0] = {.type = RTE_FLOW_ACTION_TYPE_RSS, .conf = &rss};
  distribute_.emplace(port, kRssGroup, actions);
  const rte_flow_action_jump jump{.group = kRssGroup};
  actions[0] = {.type = RTE_FLOW_ACTION_TYPE_JUMP, .conf = &jump};
  enter_.emplace(port, kRootGroup, actions);
}

}  // namespace ringside
