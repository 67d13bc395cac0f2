// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Visits all states of a small shared send ring: see tests/unit/tx_interleavings.hpp.
#include "tests/unit/tx_interleavings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ringside::test {
namespace {

struct State {
  Memory memory;
  std::vector<Lane::Scope> posters;
};

State first_state(const Setting& setting) {
  State state{{}, {}};
  Memory& memory = state.memory;
  memory.shared = shared_state({setting.start, setting.start, setting.cq_start});
  memory.rung = memory.nic_read = memory.nic_done = setting.start;
  memory.cqes_made = setting.cq_start;
  memory.record.send_counter = Be32::of(static_cast<std::uint32_t>(setting.start) & 0xffffU);
  memory.cq_record.consumer_index =
      Be32::of(static_cast<std::uint32_t>(setting.cq_start) & 0xffffffU);
  for (std::uint64_t i = 0; i < setting.depth(); ++i) {
    // As the pass before left it.
    const std::uint64_t owner = ~((setting.cq_start + i) >> setting.log_depth) & 1U;
    memory.cqe[(setting.cq_start + i) & (setting.depth() - 1)].op_own =
        static_cast<std::uint8_t>(owner);
    memory.wqe[i].data.address = Be64::of(~std::uint64_t{0});
  }
  for (std::uint32_t i = 0; i < setting.posters; ++i) {
    Lane::Scope& poster = state.posters.emplace_back();
    for (std::uint32_t rank = 0; rank < setting.lanes; ++rank) {
      poster.emplace_back(rank, setting, stage.memory);
    }
  }
  return state;
}

/// A state in 128 bits.
struct Key {
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
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  std::size_t operator()(const Key& key) const { return key.low; }
};

Key key_of(const State& state) {
  Key key;
  key.add(state.memory);
  for (const Lane::Scope& poster : state.posters) {
    for (const Lane& lane : poster) {
      lane.append_to([&](const auto& value) { key.add(value); });
    }
  }
  return key;
}

/// What the search found: the rule that was broken, or nothing.
struct Found {
  std::string broken;
  std::size_t states = 0;
};

class Search {
 public:
  explicit Search(const Setting& setting) : setting_(setting) { stage.setting = setting; }

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

  std::uint32_t lanes() const { return setting_.posters * setting_.lanes; }

  void visit_all() {
    std::vector<Pending> path;
    path.push_back({first_state(setting_), number_of(first_state(setting_)).first, 0});
    while (!path.empty()) {
      Pending& here = path.back();
      if (here.next_actor == lanes() + 2) {
        path.pop_back();
        continue;
      }
      const std::uint32_t actor = here.next_actor++;
      const std::uint32_t from = here.number;
      State next = here.state;
      if (!act(next, actor)) continue;
      const auto [number, is_new] = number_of(next);
      comes_from_[number].push_back(from);
      if (is_new) path.push_back({std::move(next), number, 0});
    }
  }

  /// Takes the actor's step on the stage; false: it has none.
  bool act(State& state, std::uint32_t actor) {
    stage.memory = state.memory;
    if (actor < lanes()) {
      Lane::Scope& poster = state.posters[actor / setting_.lanes];
      Lane& lane = poster[actor % setting_.lanes];
      if (lane.done() || !lane.advance(poster)) return false;
    } else if (actor == lanes()) {
      if (!Nic::can_read()) return false;
      Nic::read();
    } else {
      if (!Nic::can_complete()) return false;
      Nic::complete();
    }
    state.memory = stage.memory;
    return true;
  }

  std::pair<std::uint32_t, bool> number_of(const State& state) {
    const auto [place, is_new] =
        numbers_.emplace(key_of(state), static_cast<std::uint32_t>(numbers_.size()));
    if (is_new) {
      comes_from_.emplace_back();
      if (is_end(state)) ends_.push_back(place->second);
    }
    return {place->second, is_new};
  }

  bool is_end(const State& state) const {
    const std::uint64_t all =
        setting_.start + std::uint64_t{setting_.posters} * setting_.sends * setting_.count;
    return state.memory.nic_done == all &&
           std::ranges::all_of(state.posters, [](const Lane::Scope& poster) {
             return std::ranges::all_of(poster, &Lane::done);
           });
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
    Stage::require(count == comes_from_.size(), "a batch is never announced");
  }

  Setting setting_;
  std::unordered_map<Key, std::uint32_t, KeyHash> numbers_;
  std::vector<std::vector<std::uint32_t>> comes_from_;
  std::vector<std::uint32_t> ends_;
};

void expect_safe(const Setting& setting) {
  const Found found = Search(setting).run();
  EXPECT_EQ(found.broken, "");
  testing::Test::RecordProperty("states", static_cast<int>(found.states));
  std::printf("%zu states\n", found.states);
}

TEST(DeviceTxInterleavings, two_posters_on_a_ring_of_two_whose_indices_wrap) {
  expect_safe({.log_depth = 1,
               .posters = 2,
               .sends = 3,
               .count = 1,
               .start = 0xfffd,
               .cq_start = (1U << 24) - 2});
}

TEST(DeviceTxInterleavings, three_posters_on_a_ring_of_two) {
  expect_safe({.log_depth = 1, .posters = 3, .sends = 1, .count = 1});
}

TEST(DeviceTxInterleavings, three_posters_on_a_ring_of_four) {
  expect_safe({.log_depth = 2, .posters = 3, .sends = 1, .count = 1, .start = 0xfffe});
}

TEST(DeviceTxInterleavings, two_posters_of_two_wqes_each_time_on_a_ring_of_four) {
  expect_safe({.log_depth = 2, .posters = 2, .sends = 2, .count = 2, .start = 0xfffd});
}

TEST(DeviceTxInterleavings, two_warps_on_a_ring_of_four_whose_indices_wrap) {
  expect_safe({.log_depth = 2,
               .posters = 2,
               .sends = 2,
               .count = 2,
               .start = 0xfffd,
               .cq_start = (1U << 24) - 2,
               .lanes = 2});
}

TEST(DeviceTxInterleavings, a_warp_on_a_ring_of_two_goes_round_it) {
  expect_safe({.log_depth = 1, .posters = 1, .sends = 4, .count = 2, .start = 0xfffd, .lanes = 2});
}

TEST(DeviceTxInterleavings, a_poster_that_asks_for_nothing_goes_round_a_ring_of_four) {
  expect_safe({.log_depth = 2,
               .posters = 1,
               .sends = 9,
               .count = 1,
               .start = 0xfffd,
               .cq_start = (1U << 24) - 1,
               .notify = &TxNotify::none});
}

TEST(DeviceTxInterleavings, two_posters_that_ask_for_nothing) {
  expect_safe({.log_depth = 2,
               .posters = 2,
               .sends = 2,
               .count = 1,
               .start = 0xfffd,
               .notify = &TxNotify::none});
}

TEST(DeviceTxInterleavings, the_search_finds_a_ring_that_stays_full_when_nothing_asks) {
  EXPECT_EQ(Search({.log_depth = 2,
                    .posters = 1,
                    .sends = 5,
                    .count = 1,
                    .notify = &TxNotify::none,
                    .mutant = Mutant::kNeverAsks})
                .run()
                .broken,
            "a batch is never announced");
}

TEST(DeviceTxInterleavings, the_search_finds_a_warp_that_publishes_before_all_have_written) {
  EXPECT_EQ(Search({.log_depth = 1,
                    .posters = 1,
                    .sends = 1,
                    .count = 2,
                    .lanes = 2,
                    .mutant = Mutant::kNoBarrier})
                .run()
                .broken,
            "a WQE is stale or missing");
}

TEST(DeviceTxInterleavings, the_search_finds_what_a_torn_reservation_does) {
  EXPECT_NE(
      Search(
          {.log_depth = 1, .posters = 2, .sends = 1, .count = 1, .mutant = Mutant::kTornExchange})
          .run()
          .broken,
      "");
}

TEST(DeviceTxInterleavings, the_search_finds_a_doorbell_before_its_record) {
  EXPECT_EQ(
      Search(
          {.log_depth = 1, .posters = 1, .sends = 1, .count = 1, .mutant = Mutant::kDoorbellFirst})
          .run()
          .broken,
      "the doorbell before its record");
}

TEST(DeviceTxInterleavings, the_search_finds_the_ring_that_a_poster_lost_by_not_waiting) {
  EXPECT_EQ(
      Search({.log_depth = 1, .posters = 2, .sends = 1, .count = 1, .mutant = Mutant::kImpatient})
          .run()
          .broken,
      "a batch is never announced");
}

}  // namespace
}  // namespace ringside::test
