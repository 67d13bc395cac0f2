// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/steering/steering.hpp"

#include <set>

#include "lib/base/clock.hpp"
#include "lib/softcx/steering/refusal.hpp"
#include "lib/softcx/steering/rule_check.hpp"

namespace softcx {
namespace {

template <class Handle>
void refuse_if_used(const Handle& handle, const char* what) {
  if (handle.references != 0) {
    throw Refusal(RuleId::kSteeringStillUsed,
                  fmt::format("{} has {} users", what, handle.references));
  }
}

template <class Key>
bool counted(std::map<Key, std::uint32_t>& users, Key key, bool linked) {
  if (linked) return ++users[key] == 1;
  const auto entry = users.find(key);
  if (--entry->second != 0) return false;
  users.erase(entry);
  return true;
}

}  // namespace

Steering::Steering(Device& device) : device_(device) {}

Steering::~Steering() {
  delete reachable_.load(std::memory_order_relaxed);
}

SteeringDomain* Steering::create_domain(DomainType type) {
  return new SteeringDomain{*this, type};
}

void Steering::destroy(SteeringDomain* domain) {
  refuse_if_used(*domain, "domain");
  delete domain;
}

Table* Steering::create_table(SteeringDomain& domain, std::uint32_t level) {
  // As rdma-core on a device without software steering of that direction.
  if (level != 0 && domain.type == DomainType::kNicTransmit) {
    throw Refusal(RuleId::kSteeringTransmit, "a table on the transmit side below the root");
  }
  const bool root = level == 0 && domain.type == DomainType::kNicReceive;
  auto own = root ? nullptr : std::make_unique<MatcherList>();
  MatcherList& list = own != nullptr ? *own : root_;
  auto* table = new Table{domain, level, std::move(own), list};
  ++domain.references;
  return table;
}

void Steering::destroy(Table* table) {
  refuse_if_used(*table, "table");
  --table->domain.references;
  delete table;
}

Matcher* Steering::create_matcher(Table& table, std::uint16_t priority, unsigned criteria,
                                  std::span<const std::uint8_t> mask) {
  const Match match(criteria, mask, table.is_root());
  std::unique_ptr<Matcher> matcher(
      new Matcher{table.list, table, priority, match, RuleIndex(match.count())});
  const auto retired = table.list.add(*matcher, !table.is_root());
  ++table.references;
  device_.quiesce();
  return matcher.release();
}

void Steering::destroy(Matcher* matcher) {
  refuse_if_used(*matcher, "matcher");
  const auto retired = matcher->list.remove(*matcher);
  --matcher->table.references;
  device_.quiesce();
  delete matcher;
}

RuleHandle* Steering::create_rule(Matcher& matcher, std::span<const std::uint8_t> value,
                                  std::span<Action* const> actions) {
  auto handle =
      std::make_unique<RuleHandle>(RuleHandle{matcher, {actions.begin(), actions.end()}, {}});
  Rule& rule = handle->rule;
  add_actions(*handle, device_);
  rule.key = matcher.match.value(value);
  const bool duplicates = !matcher.table.is_root() && matcher.table.domain.allow_duplicate_rules;
  if (!duplicates && matcher.rules.find(rule.key) != nullptr) {
    throw Refusal(RuleId::kFlowRuleExists, "the matcher has a rule with this value");
  }
  if (handle->tir != nullptr) rule.target = &target_of(*handle->tir);
  const auto retired_slots = matcher.rules.insert(rule);
  account(*handle, true);
  if (retired_slots != nullptr) device_.quiesce();
  device_.wake_engine();
  return handle.release();
}

void Steering::destroy(RuleHandle* rule) {
  rule->matcher.rules.erase(rule->rule);
  account(*rule, false);
  device_.quiesce();
  if (rule->tir != nullptr && rule->tir->references == 0) targets_.erase(rule->tir);
  delete rule;
}

void Steering::account(RuleHandle& handle, bool linked) {
  changed_ns_.store(ringside::monotonic_ns(), std::memory_order_relaxed);
  // Release: pairs with the acquire in classify(); whoever reads the new number sees the change.
  generation_.fetch_add(1, std::memory_order_release);
  const std::uint32_t step = linked ? 1 : ~std::uint32_t{0};
  handle.matcher.references += step;
  for (Action* action : handle.actions) {
    action->references.fetch_add(step, std::memory_order_relaxed);
  }
  if (handle.bulk != nullptr) handle.bulk->references += step;
  if (handle.tir != nullptr) handle.tir->references += step;

  MatcherList& list = handle.matcher.list;
  const Rule& rule = handle.rule;
  const bool changed = (rule.target != nullptr && counted(list.targets, rule.target, linked)) ||
                       (rule.next != nullptr && counted(list.lists, rule.next, linked));
  if (!changed) return;
  const auto retired = publish_reachable();
  if (retired != nullptr) device_.quiesce();
}

std::unique_ptr<const Steering::Targets> Steering::publish_reachable() {
  std::set<const Target*> found;
  std::set<const MatcherList*> seen{&root_};
  std::vector<const MatcherList*> open{&root_};
  while (!open.empty()) {
    const MatcherList& list = *open.back();
    open.pop_back();
    for (const auto& [target, rules] : list.targets) found.insert(target);
    for (const auto& [next, rules] : list.lists) {
      if (seen.insert(next).second) open.push_back(next);
    }
  }
  auto targets = std::make_unique<const Targets>(found.begin(), found.end());
  const Targets* old = reachable_.load(std::memory_order_relaxed);
  reachable_.store(targets.release(), std::memory_order_release);
  return std::unique_ptr<const Targets>(old);
}

}  // namespace softcx
