// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/steering/rule_check.hpp"

#include <algorithm>

#include "lib/softcx/steering/refusal.hpp"

namespace softcx {
namespace {

/// The kernel takes the actions of a root rule in any order, and one destination, which must be.
void check_root(const SteeringDomain& domain, std::span<Action* const> actions) {
  const auto fates = std::count_if(actions.begin(), actions.end(),
                                   [](const Action* action) { return action->is_fate(); });
  if (fates > 1)
    throw Refusal(RuleId::kFlowNoDestination, "root rule with more than one destination");
  if (fates == 0 && domain.type == DomainType::kNicReceive) {
    throw Refusal(RuleId::kFlowNoDestination, "root rule without a destination");
  }
}

/// Elsewhere an action comes once, and behind the destination only a counter.
void check_order(std::span<Action* const> actions) {
  bool ended = false;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const Action& action = *actions[i];
    for (const Action* earlier : actions.first(i)) {
      if (earlier->kind == action.kind)
        throw Refusal(RuleId::kFlowActionTwice, "rule with one action twice");
    }
    if (ended && action.kind != Action::Kind::kCounter) {
      throw Refusal(RuleId::kFlowActionOrder, "rule with an action behind its destination");
    }
    ended = ended || action.is_fate();
  }
}

void check_jump(const Table& from, const Table& to) {
  if (&to.domain != &from.domain)
    throw Refusal(RuleId::kJumpToOtherDomain, "jump to a table of another domain");
  if (to.level <= from.level) {
    throw Refusal(
        RuleId::kJumpUpwards,
        fmt::format("jump from level {} to level {}: not a higher one", from.level, to.level));
  }
}

template <class Object>
Object& find(const std::unordered_map<std::uint32_t, std::unique_ptr<Object>>& objects,
             std::uint32_t id, const char* what) {
  const auto found = objects.find(id);
  if (found == objects.end())
    throw Refusal(RuleId::kFlowObjectUnknown, fmt::format("no {} {:#x}", what, id));
  return *found->second;
}

void add_counter(RuleHandle& handle, const Action& action, const Device& device) {
  handle.bulk = &find(device.flow_counters, action.object_id, "flow counter");
  if (action.counter_offset >= handle.bulk->count) {
    throw Refusal(
        RuleId::kFlowCounterOffset,
        fmt::format("counter {} of a bulk of {}", action.counter_offset, handle.bulk->count));
  }
  handle.rule.counter = &handle.bulk->counters[action.counter_offset];
}

void add(RuleHandle& handle, const Action& action, const Device& device) {
  const Table& table = handle.matcher.table;
  if (action.steering != nullptr && action.steering != &table.domain.steering) {
    throw Refusal(RuleId::kFlowActionOfOtherDevice, "rule with an action of another device");
  }
  Rule& rule = handle.rule;
  switch (action.kind) {
    case Action::Kind::kDrop:
      rule.fate = Rule::Fate::kDrop;
      break;
    case Action::Kind::kMiss:
      rule.fate = Rule::Fate::kMiss;
      break;
    case Action::Kind::kTag:
      rule.marked = true;
      rule.flow_tag = action.flow_tag;
      break;
    case Action::Kind::kTarget:
      rule.fate = Rule::Fate::kTarget;
      handle.tir = &find(device.tirs, action.object_id, "TIR");
      break;
    case Action::Kind::kTable:
      check_jump(table, *action.table);
      rule.fate = Rule::Fate::kTable;
      rule.next = &action.table->list;
      break;
    case Action::Kind::kCounter:
      add_counter(handle, action, device);
      break;
  }
}

}  // namespace

void add_actions(RuleHandle& handle, const Device& device) {
  const SteeringDomain& domain = handle.matcher.table.domain;
  if (handle.matcher.table.is_root()) {
    check_root(domain, handle.actions);
  } else {
    check_order(handle.actions);
  }
  for (const Action* action : handle.actions) add(handle, *action, device);
  if (domain.type != DomainType::kNicReceive) {
    throw Refusal(RuleId::kSteeringTransmit, "rules on the transmit side are not supported");
  }
}

}  // namespace softcx
