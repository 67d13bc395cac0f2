// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Visits all states of a small semaphore: see tests/unit/semaphore_interleavings.hpp.
#include "tests/unit/semaphore_interleavings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ringside::test {
namespace {

struct State {
  Memory memory;
  std::vector<ProducerThread> producers;
  std::vector<ConsumerThread> consumers;

  bool ended() const {
    return std::ranges::all_of(producers, [](const auto& thread) { return thread.done(); }) &&
           std::ranges::all_of(consumers, [](const auto& thread) { return thread.done(); });
  }
};

/// A state in 128 bits.
struct Key {
  std::uint64_t low = 0xcbf29ce484222325U;
  std::uint64_t high = 0x9ae16a3b2f90404fU;

  void add(std::uint64_t word) {
    low = (low ^ word) * 0x100000001b3U;
    low ^= low >> 29;
    high = (high + word) * 0xff51afd7ed558ccdU;
    high ^= high >> 32;
  }
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  std::size_t operator()(const Key& key) const { return key.low; }
};

Key key_of(const State& state) {
  Key key;
  static_assert(sizeof(Memory) % sizeof(std::uint64_t) == 0);
  std::uint64_t words[sizeof(Memory) / sizeof(std::uint64_t)];
  std::memcpy(words, &state.memory, sizeof(Memory));
  for (const std::uint64_t word : words) key.add(word);
  const auto append = [&](std::uint64_t word) { key.add(word); };
  for (const ProducerThread& thread : state.producers) thread.append_to(append);
  for (const ConsumerThread& thread : state.consumers) thread.append_to(append);
  return key;
}

struct Found {
  std::string broken;
  std::size_t states;
};

class Search {
 public:
  explicit Search(const Setting& setting) { stage.setting = setting; }

  Found run() {
    try {
      visit_all();
      require_that_all_end();
    } catch (const Broken& broken) {
      return {broken.rule, numbers_.size()};
    }
    return {"", numbers_.size()};
  }

 private:
  struct Pending {
    State state;
    std::uint32_t number;
    std::uint32_t next_actor;
  };

  static State first_state() {
    State state{};
    std::memset(static_cast<void*>(&state.memory), 0, sizeof(Memory));
    state.memory.words.posted = state.memory.words.collected = state.memory.words.taken =
        stage.setting.start;
    for (std::uint32_t i = 0; i < stage.setting.producers; ++i) state.producers.emplace_back(i);
    for (std::uint32_t i = 0; i < stage.setting.consumers; ++i) state.consumers.emplace_back(i);
    return state;
  }

  void visit_all() {
    const std::uint32_t actors = stage.setting.producers + stage.setting.consumers;
    std::vector<Pending> path;
    State first = first_state();
    const std::uint32_t number = number_of(first).first;
    path.push_back({std::move(first), number, 0});
    while (!path.empty()) {
      Pending& here = path.back();
      if (here.next_actor == actors) {
        path.pop_back();
        continue;
      }
      const std::uint32_t actor = here.next_actor++;
      const std::uint32_t from = here.number;
      State next = here.state;
      if (!act(next, actor)) continue;
      const auto [to, is_new] = number_of(next);
      comes_from_[to].push_back(from);
      if (is_new) path.push_back({std::move(next), to, 0});
    }
  }

  /// Takes the actor's step on the stage; false: it has none.
  static bool act(State& state, std::uint32_t actor) {
    stage.memory = state.memory;
    const auto advance = [](auto& thread) { return !thread.done() && thread.advance(); };
    const bool moved = actor < stage.setting.producers
                           ? advance(state.producers[actor])
                           : advance(state.consumers[actor - stage.setting.producers]);
    state.memory = stage.memory;
    return moved;
  }

  std::pair<std::uint32_t, bool> number_of(const State& state) {
    const auto [place, is_new] =
        numbers_.emplace(key_of(state), static_cast<std::uint32_t>(numbers_.size()));
    if (is_new) {
      comes_from_.emplace_back();
      if (state.ended()) ends_.push_back(place->second);
    }
    return {place->second, is_new};
  }

  /// From where an end cannot be reached, something was lost.
  void require_that_all_end() {
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
    Stage::require(count == comes_from_.size(), "an item is lost");
  }

  std::unordered_map<Key, std::uint32_t, KeyHash> numbers_;
  std::vector<std::vector<std::uint32_t>> comes_from_;
  std::vector<std::uint32_t> ends_;
};

void expect_safe(const Setting& setting) {
  const Found found = Search(setting).run();
  EXPECT_EQ(found.broken, "");
  EXPECT_GT(found.states, 100U);
  std::printf("%zu states\n", found.states);
}

std::string broken(const Setting& setting) {
  return Search(setting).run().broken;
}

TEST(DeviceSemaphoreInterleavings, a_thread_at_each_end_of_a_ring_of_two) {
  expect_safe({.log_depth = 1, .producers = 1, .consumers = 1, .items = 5, .batch = 1});
}

TEST(DeviceSemaphoreInterleavings, batches_on_a_ring_of_four) {
  expect_safe({.log_depth = 2, .producers = 1, .consumers = 1, .items = 6, .batch = 3});
}

TEST(DeviceSemaphoreInterleavings, two_threads_at_the_end_that_finishes_in_any_order) {
  expect_safe({.log_depth = 1, .producers = 1, .consumers = 2, .items = 4, .batch = 2});
}

TEST(DeviceSemaphoreInterleavings, two_threads_at_the_end_that_posts) {
  expect_safe({.log_depth = 1, .producers = 2, .consumers = 1, .items = 4, .batch = 2});
}

TEST(DeviceSemaphoreInterleavings, laps_that_wrap_around_their_thirty_bits) {
  expect_safe({.log_depth = 1,
               .producers = 2,
               .consumers = 1,
               .items = 4,
               .batch = 1,
               .start = (std::uint64_t{1} << 31) - 2});
}

TEST(DeviceSemaphoreInterleavings, the_search_finds_an_item_that_is_posted_before_it_is_written) {
  EXPECT_NE(broken({.log_depth = 1,
                    .producers = 1,
                    .consumers = 1,
                    .items = 2,
                    .batch = 1,
                    .mutant = Mutant::kPostsFirst}),
            "");
}

TEST(DeviceSemaphoreInterleavings, the_search_finds_a_missing_barrier_between_writes_and_posts) {
  EXPECT_EQ(broken({.log_depth = 1,
                    .producers = 2,
                    .consumers = 1,
                    .items = 2,
                    .batch = 2,
                    .mutant = Mutant::kNoBarrier}),
            "an item is torn, stale or another one");
}

TEST(DeviceSemaphoreInterleavings, the_search_finds_an_item_that_is_finished_before_it_is_read) {
  EXPECT_EQ(broken({.log_depth = 1,
                    .producers = 1,
                    .consumers = 1,
                    .items = 4,
                    .batch = 1,
                    .mutant = Mutant::kFinishesFirst}),
            "an item is torn, stale or another one");
}

}  // namespace
}  // namespace ringside::test
