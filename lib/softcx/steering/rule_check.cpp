// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/steering/rule_check.hpp"

#include <algorithm>
#include <cerrno>

#include "lib/softcx/steering/refusal.hpp"

namespace softcx {
namespace {

/// The kernel takes the actions of a root rule in any order, and one destination, which must be.
void check_root(const SteeringDomain& domain, std::span<Action* const> actions) {
  const auto fates = std::count_if(actions.begin(), actions.end(),
                                   [](const Action* action) { return action->is_fate(); });
  if (fates > 1) throw Refusal(EINVAL, "root rule with more than one destination");
  if (fates == 0 && domain.type == DomainType::kNicReceive) {
    throw Refusal(EINVAL, "root rule without a destination");
  }
}

/// Elsewhere an action comes once, and behind the destination only a counter.
void check_order(std::span<Action* const> actions) {
  bool ended = false;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const Action& action = *actions[i];
    for (const Action* earlier : actions.first(i)) {
      if (earlier->kind == action.kind) throw Refusal(EINVAL, "rule with one action twice");
    }
    if (ended && action.kind != Action::Kind::kCounter) {
      throw Refusal(EOPNOTSUPP, "rule with an action behind its destination");
    }
    ended = ended || action.is_fate();
  }
}

void check_action(const Matcher& matcher, const Action& action) {
  const Table& table = matcher.table;
  if (action.steering != nullptr && action.steering != &table.domain.steering) {
    throw Refusal(EINVAL, "rule with an action of another device");
  }
  if (action.kind == Action::Kind::kCounter && action.counter_offset >= action.bulk->count) {
    throw Refusal(EINVAL, fmt::format("counter {} of a bulk of {}", action.counter_offset,
                                      action.bulk->count));
  }
  if (action.kind != Action::Kind::kTable) return;
  if (&action.table->domain != &table.domain) {
    throw Refusal(EINVAL, "jump to a table of another domain");
  }
  if (action.table->level <= table.level) {
    throw Refusal(EINVAL, fmt::format("jump from level {} to level {}: not a higher one",
                                      table.level, action.table->level));
  }
}

void add(Rule& rule, const Action& action) {
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
      rule.target = action.target;
      break;
    case Action::Kind::kTable:
      rule.fate = Rule::Fate::kTable;
      rule.next = &action.table->list;
      break;
    case Action::Kind::kCounter:
      rule.counter = &action.bulk->counters[action.counter_offset];
      break;
  }
}

}  // namespace

Rule build_rule(const Matcher& matcher, std::span<Action* const> actions) {
  const SteeringDomain& domain = matcher.table.domain;
  if (matcher.table.is_root()) {
    check_root(domain, actions);
  } else {
    check_order(actions);
  }
  Rule rule;
  for (const Action* action : actions) {
    check_action(matcher, *action);
    add(rule, *action);
  }
  if (domain.type != DomainType::kNicReceive) {
    throw Refusal(EOPNOTSUPP, "rules on the transmit side are not supported");
  }
  return rule;
}

}  // namespace softcx
