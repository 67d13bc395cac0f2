// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The rules of one matcher, hashed by their masked key words. One writer (the control path), one
// reader (the engine thread) that never waits.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "lib/softcx/steering/match.hpp"

namespace softcx {

struct FlowCounter;
struct Target;
class MatcherList;

/// A rule as the engine sees it. Nothing that it reads changes while the rule is linked.
struct alignas(64) Rule {
  enum class Fate : std::uint8_t { kMiss, kDrop, kTarget, kTable };

  Fate fate = Fate::kMiss;
  bool marked = false;
  std::uint32_t flow_tag = 0;
  FlowCounter* counter = nullptr;
  const Target* target = nullptr;
  const MatcherList* next = nullptr;
  /// Control path: the next rule with the same key, hidden by this one.
  Rule* shadowed = nullptr;
  MatchWords key;  ///< last: lookups read its hash and first words only
};

/// Open addressing with linear probing. A rule is published by the store-release of its slot, which
/// pairs with the load-acquire of find(). What insert() retires and erase() unlinks may be freed
/// once the engine has passed a quiescent point.
class RuleIndex {
 public:
  class Slots;  ///< shared_ptr, since only rule_index.cpp knows how to free them

  explicit RuleIndex(std::uint32_t words) noexcept : words_(words) {}
  ~RuleIndex();
  RuleIndex(const RuleIndex&) = delete;
  RuleIndex& operator=(const RuleIndex&) = delete;

  /// The first rule of this key, or nullptr.
  Rule* find(const MatchWords& key) const noexcept;

  /// Links a rule; where the key is taken, hidden behind the rules that have it. Returns the slots
  /// that a larger table replaced, or null.
  [[nodiscard]] std::shared_ptr<const Slots> insert(Rule& rule);
  void erase(Rule& rule) noexcept;

 private:
  bool same(const MatchWords& a, const MatchWords& b) const noexcept;
  std::shared_ptr<const Slots> grow();

  const std::uint32_t words_;
  std::atomic<const Slots*> slots_{nullptr};
  std::uint64_t size_ = 0;  ///< linked rules without the hidden ones
  std::uint64_t used_ = 0;  ///< slots that are not empty: linked and erased
};

}  // namespace softcx
