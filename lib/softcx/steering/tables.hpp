// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Matchers in order, as the engine walks them, and the handles that the mlx5dv_dr_* calls pass.
// All handles are used under Device::control(); actions that belong to no device have an atomic
// reference count instead.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "lib/softcx/nic/objects.hpp"
#include "lib/softcx/steering/match.hpp"
#include "lib/softcx/steering/rule_index.hpp"

namespace softcx {

class Steering;
struct Table;

/// mlx5dv_dr_domain_type.
enum class DomainType : std::uint8_t { kNicReceive, kNicTransmit };

struct SteeringDomain {
  Steering& steering;
  const DomainType type;
  bool allow_duplicate_rules = true;
  std::uint32_t references = 0;  ///< tables
};

struct Matcher {
  MatcherList& list;
  Table& table;
  const std::uint16_t priority;
  const Match match;
  RuleIndex rules;
  std::uint32_t references = 0;  ///< rules
};

/// What decisions about a packet depended on.
struct LookedAt {
  bool plain_words_only = true;  ///< nothing but what plain packets are told apart by
  bool nothing = true;           ///< not on the packet
};

/// The matchers of a table. Those of all root tables of a port are one list, as on the NIC.
class MatcherList {
 public:
  using Matchers = std::vector<const Matcher*>;

  MatcherList() = default;
  ~MatcherList() { delete matchers_.load(std::memory_order_relaxed); }
  MatcherList(const MatcherList&) = delete;
  MatcherList& operator=(const MatcherList&) = delete;

  /// Engine thread: the rule that decides about a packet, or nullptr. `looked_at` gains what that
  /// depends on.
  const Rule* find(const FlowKey& key, LookedAt& looked_at) const noexcept {
    const Matchers* matchers = matchers_.load(std::memory_order_acquire);
    if (matchers == nullptr) return nullptr;
    MatchWords words;
    for (const Matcher* matcher : *matchers) {
      looked_at.plain_words_only &= matcher->match.sees_plain_words_only();
      looked_at.nothing &= matcher->match.count() == 0;
      matcher->match.apply(key, words);
      if (const Rule* rule = matcher->rules.find(words); rule != nullptr) return rule;
    }
    return nullptr;
  }

  /// Control path. Both publish a new list by a store-release, which pairs with the load-acquire
  /// of find(), and return the old one: free it after the engine's next quiescent point. Among
  /// equal priorities the newest matcher goes first where `newest_first`.
  [[nodiscard]] std::unique_ptr<const Matchers> add(const Matcher& matcher, bool newest_first);
  [[nodiscard]] std::unique_ptr<const Matchers> remove(const Matcher& matcher);

  /// Control path: what the rules of this list lead to, and how many rules do.
  std::map<const Target*, std::uint32_t> targets;
  std::map<const MatcherList*, std::uint32_t> lists;

 private:
  std::unique_ptr<const Matchers> replace(std::unique_ptr<Matchers> matchers);

  std::atomic<const Matchers*> matchers_{nullptr};
};

/// Level 0 is the root, where packets start.
struct Table {
  SteeringDomain& domain;
  const std::uint32_t level;
  std::unique_ptr<MatcherList> own;  ///< null: matchers go to the port's root list
  MatcherList& list;
  std::uint32_t references = 0;  ///< matchers, and actions that jump here

  bool is_root() const noexcept { return level == 0; }
};

struct Action {
  enum class Kind : std::uint8_t { kDrop, kMiss, kTag, kTarget, kTable, kCounter };

  explicit Action(Kind kind_in) : kind(kind_in) {}

  const Kind kind;
  std::uint32_t flow_tag = 0;
  Table* table = nullptr;
  /// Number of a TIR or of a counter bulk. It is looked up when a rule takes the action: only rules
  /// keep those objects alive, drivers destroy them before the actions.
  std::uint32_t object_id = 0;
  std::uint32_t counter_offset = 0;
  Steering* steering = nullptr;              ///< null: usable on every device
  std::atomic<std::uint32_t> references{0};  ///< rules

  /// Does it say where the packet goes?
  bool is_fate() const noexcept { return kind != Kind::kTag && kind != Kind::kCounter; }
};

struct RuleHandle {
  Matcher& matcher;
  std::vector<Action*> actions;
  Rule rule;
  Tir* tir = nullptr;
  FlowCounterBulk* bulk = nullptr;
};

}  // namespace softcx
