// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Visits all states that threads can bring a small memory to, one step at a time in any order, and
// finds a rule that some step breaks, or a state from which no end can be reached.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ringside::test {

/// A state in 128 bits.
struct StateKey {
  std::uint64_t low = 0xcbf29ce484222325U;
  std::uint64_t high = 0x9ae16a3b2f90404fU;

  template <class T>
  void add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % 8 == 0);
    std::uint64_t words[sizeof(T) / 8];
    std::memcpy(words, &value, sizeof(T));
    for (const std::uint64_t word : words) {
      low = (low ^ word) * 0x100000001b3U;
      low ^= low >> 29;
      high = (high + word) * 0xff51afd7ed558ccdU;
      high ^= high >> 32;
    }
  }
  bool operator==(const StateKey&) const = default;
};

/// What the search found: the rule that was broken, or nothing.
struct Found {
  std::string broken;
  std::size_t states = 0;
};

/// A Model has:
///   State           what a step starts from and leads to
///   Broken          what a step throws that breaks a rule: Broken::rule is its name
///   first_state(), key_of(state), is_end(state)
///   actors()        how many there are
///   act(state, i)   takes actor i's step; false: it has none
///   kLost           the rule that a state breaks from which no end can be reached
template <class Model>
class StateSearch {
 public:
  explicit StateSearch(Model model) : model_(std::move(model)) {}

  Found run() {
    try {
      visit_all();
    } catch (const typename Model::Broken& broken) {
      return {broken.rule, numbers_.size()};
    }
    return {all_can_end() ? "" : Model::kLost, numbers_.size()};
  }

 private:
  using State = typename Model::State;
  struct Pending {
    State state;
    std::uint32_t number;
    std::uint32_t next_actor;
  };
  struct KeyHash {
    std::size_t operator()(const StateKey& key) const { return key.low; }
  };

  void visit_all() {
    std::vector<Pending> path;
    State first = model_.first_state();
    const std::uint32_t first_number = number_of(first).first;
    path.push_back({std::move(first), first_number, 0});
    while (!path.empty()) {
      Pending& here = path.back();
      if (here.next_actor == model_.actors()) {
        path.pop_back();
        continue;
      }
      const std::uint32_t actor = here.next_actor++;
      const std::uint32_t from = here.number;
      State next = here.state;
      if (!model_.act(next, actor)) continue;
      const auto [number, is_new] = number_of(next);
      comes_from_[number].push_back(from);
      if (is_new) path.push_back({std::move(next), number, 0});
    }
  }

  std::pair<std::uint32_t, bool> number_of(const State& state) {
    const auto [place, is_new] =
        numbers_.emplace(model_.key_of(state), static_cast<std::uint32_t>(numbers_.size()));
    if (is_new) {
      comes_from_.emplace_back();
      if (model_.is_end(state)) ends_.push_back(place->second);
    }
    return {place->second, is_new};
  }

  bool all_can_end() const {
    std::vector<bool> can_end(comes_from_.size());
    std::vector<std::uint32_t> open = ends_;
    std::size_t count = 0;
    while (!open.empty()) {
      const std::uint32_t number = open.back();
      open.pop_back();
      if (can_end[number]) continue;
      can_end[number] = true;
      ++count;
      for (const std::uint32_t before : comes_from_[number]) {
        if (!can_end[before]) open.push_back(before);
      }
    }
    return count == comes_from_.size();
  }

  Model model_;
  std::unordered_map<StateKey, std::uint32_t, KeyHash> numbers_;
  std::vector<std::vector<std::uint32_t>> comes_from_;
  std::vector<std::uint32_t> ends_;
};

}  // namespace ringside::test
