// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Visits all states of a small semaphore: see tests/unit/semaphore_interleavings.hpp.
#include "tests/unit/semaphore_interleavings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "tests/unit/state_search.hpp"

namespace ringside::test {
namespace {

struct SemaphoreModel {
  using Broken = test::Broken;
  static constexpr const char* kLost = "an item is lost";
  struct State {
    Memory memory;
    std::vector<ProducerThread> producers;
    std::vector<ConsumerThread> consumers;
  };

  explicit SemaphoreModel(const Setting& setting) { stage.setting = setting; }

  static State first_state() {
    State state{};
    std::memset(static_cast<void*>(&state.memory), 0, sizeof(Memory));
    state.memory.words.posted = state.memory.words.collected = state.memory.words.taken =
        stage.setting.start;
    for (std::uint32_t i = 0; i < stage.setting.producers; ++i) state.producers.emplace_back(i);
    for (std::uint32_t i = 0; i < stage.setting.consumers; ++i) state.consumers.emplace_back(i);
    return state;
  }

  static StateKey key_of(const State& state) {
    StateKey key;
    key.add(state.memory);
    const auto append = [&](std::uint64_t word) { key.add(word); };
    for (const ProducerThread& thread : state.producers) thread.append_to(append);
    for (const ConsumerThread& thread : state.consumers) thread.append_to(append);
    return key;
  }

  static bool is_end(const State& state) {
    return std::ranges::all_of(state.producers, [](const auto& thread) { return thread.done(); }) &&
           std::ranges::all_of(state.consumers, [](const auto& thread) { return thread.done(); });
  }

  static std::uint32_t actors() { return stage.setting.producers + stage.setting.consumers; }

  /// On the stage.
  static bool act(State& state, std::uint32_t actor) {
    stage.memory = state.memory;
    const auto advance = [](auto& thread) { return !thread.done() && thread.advance(); };
    const bool moved = actor < stage.setting.producers
                           ? advance(state.producers[actor])
                           : advance(state.consumers[actor - stage.setting.producers]);
    state.memory = stage.memory;
    return moved;
  }
};

Found search(const Setting& setting) {
  return StateSearch(SemaphoreModel(setting)).run();
}

void expect_safe(const Setting& setting) {
  const Found found = search(setting);
  EXPECT_EQ(found.broken, "");
  EXPECT_GT(found.states, 100U);
  std::printf("%zu states\n", found.states);
}

std::string broken(const Setting& setting) {
  return search(setting).broken;
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
