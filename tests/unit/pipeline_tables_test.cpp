// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The tables that the host builds for kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "lib/base/error.hpp"
#include "lib/pipeline/backend_table.hpp"
#include "lib/pipeline/flow_table.hpp"

namespace ringside::pipeline {
namespace {

stages::TableEntry entry(std::uint64_t number) {
  return {{{0, 0x0a000000 + number / 7, 0, 0x0b000000 + number % 7,
            stages::tuple_tail(static_cast<std::uint32_t>(number % 65536), 80, 6, 4)}},
          number};
}

/// The table as a kernel sees it, in one piece.
class Laid {
 public:
  explicit Laid(const FlowTable& table) {
    const std::size_t tags = sizeof(stages::TableParameters);
    const std::size_t entries = tags + table.tags().size_bytes();
    bytes_.resize((entries + table.entries().size_bytes()) / 8 + 1);
    auto* const at = reinterpret_cast<std::uint8_t*>(bytes_.data());
    std::copy_n(reinterpret_cast<const std::uint8_t*>(table.tags().data()),
                table.tags().size_bytes(), at + tags);
    std::copy_n(reinterpret_cast<const std::uint8_t*>(table.entries().data()),
                table.entries().size_bytes(), at + entries);
    auto& head = *reinterpret_cast<stages::TableParameters*>(at);
    head = {.tags = tags, .entries = entries, .buckets = table.buckets()};
  }
  const stages::TableEntry* find(const stages::FiveTuple& key) const {
    return stages::find_entry(*reinterpret_cast<const stages::TableParameters*>(bytes_.data()),
                              key);
  }

 private:
  std::vector<std::uint64_t> bytes_;
};

TEST(PipelineFlowTable, what_is_in_it_is_found_and_nothing_else) {
  for (const std::uint64_t count : {0U, 1U, 5U, 1000U, 100'000U}) {
    std::vector<stages::TableEntry> entries;
    for (std::uint64_t i = 0; i < count; ++i) entries.push_back(entry(i));
    const Laid table(
        FlowTable(entries, static_cast<std::uint32_t>(std::max<std::uint64_t>(count, 1))));
    for (std::uint64_t i = 0; i < count; ++i) {
      const stages::TableEntry* const found = table.find(entry(i).key);
      ASSERT_NE(found, nullptr) << i << " of " << count;
      ASSERT_EQ(found->value, i);
    }
    for (std::uint64_t i = count; i < count + 1000; ++i) {
      ASSERT_EQ(table.find(entry(i).key), nullptr) << i;
    }
  }
}

TEST(PipelineFlowTable, of_two_with_one_key_the_last_holds) {
  std::vector<stages::TableEntry> entries = {entry(1), entry(2), entry(1)};
  entries[2].value = 77;
  const Laid table(FlowTable(entries, 3));
  EXPECT_EQ(table.find(entry(1).key)->value, 77U);
}

TEST(PipelineFlowTable, more_than_its_capacity_is_refused) {
  const std::vector<stages::TableEntry> entries = {entry(1), entry(2)};
  EXPECT_THROW(FlowTable(entries, 1), Error);
}

TEST(PipelineFlowTable, a_full_one_takes_little_more_than_its_entries) {
  std::vector<stages::TableEntry> entries;
  for (std::uint64_t i = 0; i < 50'000; ++i) entries.push_back(entry(i * 977));
  const FlowTable table(entries, 50'000);
  EXPECT_LT(table.entries().size(), 50'000 / 0.8);
}

using Backend = LoadBalanceStage::Backend;

Backend backend(std::uint8_t number, std::uint16_t weight = 1) {
  return {.mac = MacAddress{2, 0, 0, 0, 0, number}, .ip = {}, .weight = weight, .to = {}};
}

std::map<std::uint8_t, int> shares(const std::vector<Backend>& backends) {
  std::map<std::uint8_t, int> count;
  for (const std::uint8_t owner : fill_buckets(backends)) ++count[owner];
  return count;
}

TEST(PipelineBackendTable, buckets_are_shared_by_weight) {
  const auto even = shares({backend(1), backend(2), backend(3), backend(4)});
  for (const auto& [owner, count] : even) EXPECT_NEAR(count, 256, 60) << int{owner};
  const auto uneven = shares({backend(1, 3), backend(2, 1)});
  EXPECT_NEAR(uneven.at(0), 768, 60);
}

TEST(PipelineBackendTable, one_that_goes_moves_only_its_own_buckets) {
  const auto before = fill_buckets(std::vector{backend(1), backend(2), backend(3)});
  const auto after = fill_buckets(std::vector{backend(1), backend(3)});
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] == 1) continue;
    EXPECT_EQ(after[i], before[i] == 0 ? 0 : 1) << i;
  }
}

}  // namespace
}  // namespace ringside::pipeline
