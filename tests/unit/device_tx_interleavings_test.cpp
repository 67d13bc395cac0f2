// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Visits all states of a small shared send ring: see tests/unit/tx_interleavings.hpp.
#include "tests/unit/tx_interleavings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/unit/state_search.hpp"

namespace ringside::test {
namespace {

class TxModel {
 public:
  using Broken = test::Broken;
  static constexpr const char* kLost = "a batch is never announced";
  struct State {
    Memory memory;
    std::vector<Lane::Scope> posters;
  };

  explicit TxModel(const Setting& setting) : setting_(setting) { stage.setting = setting; }

  State first_state() const {
    State state{{}, {}};
    Memory& memory = state.memory;
    memory.shared = shared_state({setting_.start, setting_.start, setting_.cq_start});
    memory.rung = memory.nic_read = memory.nic_done = setting_.start;
    memory.cqes_made = setting_.cq_start;
    memory.record.send_counter = Be32::of(static_cast<std::uint32_t>(setting_.start) & 0xffffU);
    memory.cq_record.consumer_index =
        Be32::of(static_cast<std::uint32_t>(setting_.cq_start) & 0xffffffU);
    for (std::uint64_t i = 0; i < setting_.depth(); ++i) {
      // As the pass before left it.
      const std::uint64_t owner = ~((setting_.cq_start + i) >> setting_.log_depth) & 1U;
      memory.cqe[(setting_.cq_start + i) & (setting_.depth() - 1)].op_own =
          static_cast<std::uint8_t>(owner);
      memory.wqe[i].data.address = Be64::of(~std::uint64_t{0});
    }
    for (std::uint32_t i = 0; i < setting_.posters; ++i) {
      Lane::Scope& poster = state.posters.emplace_back();
      for (std::uint32_t rank = 0; rank < setting_.lanes; ++rank) {
        poster.emplace_back(rank, setting_, stage.memory);
      }
    }
    return state;
  }

  static StateKey key_of(const State& state) {
    StateKey key;
    key.add(state.memory);
    for (const Lane::Scope& poster : state.posters) {
      for (const Lane& lane : poster) {
        lane.append_to([&](const auto& value) { key.add(value); });
      }
    }
    return key;
  }

  bool is_end(const State& state) const {
    const std::uint64_t all =
        setting_.start + std::uint64_t{setting_.posters} * setting_.sends * setting_.count;
    return state.memory.nic_done == all &&
           std::ranges::all_of(state.posters, [](const Lane::Scope& poster) {
             return std::ranges::all_of(poster, &Lane::done);
           });
  }

  /// The lanes, and the NIC that reads and that completes.
  std::uint32_t actors() const { return lanes() + 2; }

  /// On the stage.
  bool act(State& state, std::uint32_t actor) const {
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

 private:
  std::uint32_t lanes() const { return setting_.posters * setting_.lanes; }

  Setting setting_;
};

Found search(const Setting& setting) {
  return StateSearch(TxModel(setting)).run();
}

void expect_safe(const Setting& setting) {
  const Found found = search(setting);
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
  EXPECT_EQ(search({.log_depth = 2,
                    .posters = 1,
                    .sends = 5,
                    .count = 1,
                    .notify = &TxNotify::none,
                    .mutant = Mutant::kNeverAsks})
                .broken,
            "a batch is never announced");
}

TEST(DeviceTxInterleavings, the_search_finds_a_warp_that_publishes_before_all_have_written) {
  EXPECT_EQ(search({.log_depth = 1,
                    .posters = 1,
                    .sends = 1,
                    .count = 2,
                    .lanes = 2,
                    .mutant = Mutant::kNoBarrier})
                .broken,
            "a WQE is stale or missing");
}

TEST(DeviceTxInterleavings, the_search_finds_what_a_torn_reservation_does) {
  EXPECT_NE(
      search(
          {.log_depth = 1, .posters = 2, .sends = 1, .count = 1, .mutant = Mutant::kTornExchange})
          .broken,
      "");
}

TEST(DeviceTxInterleavings, the_search_finds_a_doorbell_before_its_record) {
  EXPECT_EQ(
      search(
          {.log_depth = 1, .posters = 1, .sends = 1, .count = 1, .mutant = Mutant::kDoorbellFirst})
          .broken,
      "the doorbell before its record");
}

TEST(DeviceTxInterleavings, the_search_finds_the_ring_that_a_poster_lost_by_not_waiting) {
  EXPECT_EQ(
      search({.log_depth = 1, .posters = 2, .sends = 1, .count = 1, .mutant = Mutant::kImpatient})
          .broken,
      "a batch is never announced");
}

}  // namespace
}  // namespace ringside::test
