// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Queue lists of rules: the PMD checks only the first entry.
#include <gtest/gtest.h>

#include <vector>

#include "lib/base/error.hpp"
#include "lib/flow/external_queue.hpp"
#include "lib/flow/steering.hpp"

namespace ringside::test {
namespace {

const std::uint16_t kExported = ExternalQueue::kFirstId;

void check(const std::vector<std::uint16_t>& ids) {
  check_queue_list(ids);
}

TEST(QueueList, exported_queues_start_at_64536_and_end_with_the_ids) {
  EXPECT_EQ(kExported, 64536U);
  EXPECT_EQ(kExported + ExternalQueue::kMaxPerPort - 1, 65535);
}

TEST(QueueList, queues_of_one_kind_are_fine) {
  EXPECT_NO_THROW(check({0, 1, 2}));
  EXPECT_NO_THROW(check({kExported, static_cast<std::uint16_t>(kExported + 7)}));
}

TEST(QueueList, mixed_kinds_are_refused_in_every_order) {
  EXPECT_THROW(check({0, kExported}), Error);
  EXPECT_THROW(check({kExported, 0}), Error);
  EXPECT_THROW(check({kExported, static_cast<std::uint16_t>(kExported + 1), 3}), Error);
}

TEST(QueueList, same_queue_twice_is_refused) {
  EXPECT_THROW(check({kExported, kExported}), Error);
  EXPECT_THROW(check({0, 1, 0}), Error);
}

TEST(QueueList, empty_list_is_refused) {
  EXPECT_THROW(check({}), Error);
}

}  // namespace
}  // namespace ringside::test
