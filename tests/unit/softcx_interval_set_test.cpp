// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Intervals judged by a list that is searched from one end to the other.
#include "lib/softcx/nic/interval_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <vector>

namespace softcx {
namespace {

using Set = IntervalSet<int>;

TEST(IntervalSet, touching_intervals_have_no_byte_in_common) {
  Set set;
  set.insert({10, 20, 1});
  EXPECT_EQ(set.find(0, 10), nullptr);
  EXPECT_EQ(set.find(20, 30), nullptr);
  ASSERT_NE(set.find(19, 20), nullptr);
  EXPECT_EQ(set.find(0, 11)->value, 1);
  EXPECT_EQ(set.find(12, 13)->value, 1);
}

TEST(IntervalSet, equal_intervals_are_told_apart_by_their_keys) {
  Set set;
  const Set::Key first = set.insert({0, 8, 1}), second = set.insert({0, 8, 2});
  EXPECT_EQ(set.at(first).value, 1);
  EXPECT_EQ(set.at(second).value, 2);
  set.erase(first);
  EXPECT_EQ(set.at(second).value, 2);
  EXPECT_EQ(set.find(7, 9)->value, 2);
  set.erase(second);
  EXPECT_EQ(set.find(0, 100), nullptr);
}

TEST(IntervalSet, finds_what_a_list_finds_after_any_insertions_and_erasures) {
  struct Known {
    Set::Key key;
    std::uint64_t begin, end;
  };
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t end) { return random() % end; };
  Set set;
  std::vector<Known> list;
  for (int step = 0; step < 20000; ++step) {
    if (list.size() < 100 && below(3) != 0) {
      const std::uint64_t begin = below(1000);
      const std::uint64_t end = begin + 1 + (below(20) == 0 ? below(500) : below(8));
      list.push_back({set.insert({begin, end, step}), begin, end});
    } else if (!list.empty()) {
      const auto at = list.begin() +
                      static_cast<std::ptrdiff_t>(below(static_cast<std::uint32_t>(list.size())));
      set.erase(at->key);
      list.erase(at);
    }
    const std::uint64_t begin = below(1600), end = begin + 1 + below(10);
    const auto overlaps = [&](const Known& known) {
      return known.begin < end && begin < known.end;
    };
    const Set::Entry* const found = set.find(begin, end);
    ASSERT_EQ(found != nullptr, std::any_of(list.begin(), list.end(), overlaps)) << step;
    if (found == nullptr) continue;
    ASSERT_TRUE(found->begin < end && begin < found->end) << step;
  }
}

// What a linear search takes a minute for.
TEST(IntervalSet, one_long_interval_and_many_equal_ones_cost_no_search_its_speed) {
  constexpr std::uint64_t kCount = 1 << 16, kFar = std::uint64_t{1} << 40;
  Set set;
  set.insert({kFar, 2 * kFar, 0});
  std::vector<Set::Key> keys;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < kCount; ++i) {
    keys.push_back(set.insert({i * 64, i * 64 + 60, 1}));
    keys.push_back(set.insert({0, 60, 2}));
    ASSERT_EQ(set.find(i * 64 + 60, i * 64 + 64), nullptr);
  }
  for (const Set::Key& key : keys) set.erase(key);
  EXPECT_EQ(set.find(0, kFar), nullptr);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace softcx
