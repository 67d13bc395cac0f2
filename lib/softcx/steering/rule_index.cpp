// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/steering/rule_index.hpp"

#include <algorithm>
#include <bit>

namespace softcx {
namespace {

constexpr std::uint64_t kSmallest = 16;

/// Marks a slot whose rule is gone: lookups go on behind it.
Rule erased_marker;
Rule* const kErased = &erased_marker;

}  // namespace

class RuleIndex::Slots {
 public:
  explicit Slots(std::uint64_t size) : mask_(size - 1), slots_(new std::atomic<Rule*>[size]()) {}

  std::uint64_t size() const noexcept { return mask_ + 1; }
  /// The slot that is looked at `step` steps after the key's own.
  std::atomic<Rule*>& at(std::uint64_t hash, std::uint64_t step) const noexcept {
    return slots_[(hash + step) & mask_];
  }

  void place(Rule& rule) const noexcept {
    for (std::uint64_t step = 0;; ++step) {
      std::atomic<Rule*>& slot = at(rule.key.hash, step);
      if (slot.load(std::memory_order_relaxed) != nullptr) continue;
      slot.store(&rule, std::memory_order_release);
      return;
    }
  }

 private:
  const std::uint64_t mask_;
  const std::unique_ptr<std::atomic<Rule*>[]> slots_;
};

RuleIndex::~RuleIndex() {
  delete slots_.load(std::memory_order_relaxed);
}

bool RuleIndex::same(const MatchWords& a, const MatchWords& b) const noexcept {
  return a.hash == b.hash && std::equal(a.word.begin(), a.word.begin() + words_, b.word.begin());
}

Rule* RuleIndex::find(const MatchWords& key) const noexcept {
  const Slots* slots = slots_.load(std::memory_order_acquire);
  if (slots == nullptr) return nullptr;
  for (std::uint64_t step = 0;; ++step) {
    Rule* rule = slots->at(key.hash, step).load(std::memory_order_acquire);
    if (rule == nullptr) return nullptr;
    if (rule != kErased && same(rule->key, key)) return rule;
  }
}

std::shared_ptr<const RuleIndex::Slots> RuleIndex::grow() {
  auto larger = std::make_unique<Slots>(std::max(kSmallest, std::bit_ceil(4 * size_)));
  const Slots* old = slots_.load(std::memory_order_relaxed);
  for (std::uint64_t i = 0; old != nullptr && i < old->size(); ++i) {
    Rule* rule = old->at(i, 0).load(std::memory_order_relaxed);
    if (rule != nullptr && rule != kErased) larger->place(*rule);
  }
  used_ = size_;
  slots_.store(larger.release(), std::memory_order_release);
  return std::shared_ptr<const Slots>(old);
}

std::shared_ptr<const RuleIndex::Slots> RuleIndex::insert(Rule& rule) {
  rule.shadowed = nullptr;
  if (Rule* last = find(rule.key); last != nullptr) {
    while (last->shadowed != nullptr) last = last->shadowed;
    last->shadowed = &rule;
    return nullptr;
  }
  const Slots* slots = slots_.load(std::memory_order_relaxed);
  std::shared_ptr<const Slots> retired;
  // At most half full, the erased ones included: probes stay short and always end.
  if (slots == nullptr || 2 * (used_ + 1) > slots->size()) retired = grow();
  slots_.load(std::memory_order_relaxed)->place(rule);
  ++size_;
  ++used_;
  return retired;
}

void RuleIndex::erase(Rule& rule) noexcept {
  Rule* first = find(rule.key);
  if (first != &rule) {
    while (first->shadowed != &rule) first = first->shadowed;
    first->shadowed = rule.shadowed;
    return;
  }
  const Slots& slots = *slots_.load(std::memory_order_relaxed);
  std::uint64_t step = 0;
  while (slots.at(rule.key.hash, step).load(std::memory_order_relaxed) != &rule) ++step;
  Rule* next = rule.shadowed;
  slots.at(rule.key.hash, step).store(next != nullptr ? next : kErased, std::memory_order_release);
  if (next == nullptr) --size_;
}

}  // namespace softcx
