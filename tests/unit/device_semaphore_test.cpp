// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Semaphores between blocks, and between blocks and a thread of the CPU.
#include "lib/device/semaphore.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "tests/unit/block_run.hpp"
#include "tests/unit/semaphore_checks.hpp"

namespace ringside::test {
namespace {

/// Zeroed memory with a ring in it.
class Ring {
  struct alignas(128) Line {
    std::uint8_t bytes[128];
  };

 public:
  explicit Ring(std::uint32_t log_depth)
      : memory_(semaphore_bytes<Job>(log_depth) / sizeof(Line) + 1),
        handle(semaphore_in<Job>(memory_.data(), log_depth)) {}

 private:
  std::vector<Line> memory_;

 public:
  const SemaphoreHandle<Job> handle;
};

class DeviceSemaphore : public testing::TestWithParam<std::uint32_t> {
 protected:
  std::uint32_t threads() const { return GetParam(); }
  /// Of a test that goes on: a block of many threads on few cores needs a while for each batch.
  std::uint64_t laps() const { return threads() == 1 ? 1000 : 1000 / threads() + 16; }
  template <class What>
  void check(std::uint32_t blocks, const SemaphoreOrders& orders) const {
    check_in_blocks<What>(blocks, threads(), Part::kWhole, &orders, [] {});
  }
  template <class What>
  void check_two_ends(const Ring& ring, std::uint64_t count) const {
    check<OfTwoEnds<What>>(2, {.rings = {ring.handle}, .count = count});
  }
  template <class What>
  void check_one_block(const Ring& ring, std::uint64_t start, std::uint64_t count) const {
    check<OfOneBlock<What>>(1, {.rings = {ring.handle}, .start = start, .count = count});
  }
};
INSTANTIATE_TEST_SUITE_P(threads, DeviceSemaphore, testing::Values(1U, 32U, 256U),
                         [](const auto& size) { return std::to_string(size.param); });

TEST_P(DeviceSemaphore, each_item_is_handed_over_once_in_order_and_comes_back_in_order) {
  check_two_ends<EachItemComesBackInOrder>(Ring(4), laps() * 16);
}
TEST_P(DeviceSemaphore, a_send_waits_for_a_slow_consumer_and_loses_nothing) {
  check_two_ends<ASendWaitsForASlowConsumer>(Ring(3), laps() * 8);
}
TEST_P(DeviceSemaphore, items_that_are_finished_in_any_order_come_back_in_theirs) {
  check_one_block<ItemsFinishedInAnyOrderComeBackInTheirs>(Ring(3), 0, 0);
}
TEST_P(DeviceSemaphore, a_wait_ends_at_its_deadline_and_changes_nothing) {
  check_one_block<AWaitEndsAtItsDeadline>(Ring(2), 0, 0);
}
TEST_P(DeviceSemaphore, a_producer_that_closes_is_heard_of_behind_its_last_item) {
  check_two_ends<AProducerThatClosesIsHeardOfBehindItsLastItem>(Ring(3), 0);
}
TEST_P(DeviceSemaphore, a_consumer_that_closes_ends_the_waits_and_says_what_it_has_not_taken) {
  check_two_ends<AConsumerThatClosesEndsTheWaits>(Ring(3), 0);
}

TEST_P(DeviceSemaphore, the_next_kernel_goes_on_where_the_last_has_ended) {
  const Ring ring(2);
  for (std::uint64_t turn = 0; turn < 9; ++turn) {
    check_one_block<TheNextKernelGoesOn>(ring, turn * 3, 0);
  }
  EXPECT_EQ(ring.handle.words->collected, 27U);
}

TEST_P(DeviceSemaphore, an_onlooker_sees_where_an_item_is) {
  check_one_block<AnOnlookerSeesWhereAnItemIs>(Ring(1), 0, 6);
}

TEST_P(DeviceSemaphore, laps_may_wrap_around) {
  const Ring ring(1);
  const std::uint64_t start = (std::uint64_t{1} << 31) - 4;
  for (std::uint64_t* word :
       {&ring.handle.words->posted, &ring.handle.words->collected, &ring.handle.words->taken}) {
    *word = start;
  }
  check_one_block<AnOnlookerSeesWhereAnItemIs>(ring, start, 8);
}

TEST_P(DeviceSemaphore, blocks_hand_items_to_one_thread_of_the_cpu_by_a_ring_each) {
  constexpr std::uint32_t kBlocks = 3;
  const std::uint64_t count = laps() * 4;
  std::deque<Ring> rings;
  for (std::uint32_t i = 0; i < kBlocks; ++i) rings.emplace_back(2);
  const SemaphoreOrders orders{.rings = {rings[0].handle, rings[1].handle, rings[2].handle},
                               .count = count};
  check_in_blocks<HandsItemsToTheCpu>(kBlocks, threads(), Part::kWhole, &orders, [&] {
    ThreadScope cpu;
    std::vector<SemaphoreConsumer<Job, Reach::kSystem>> ends;
    for (const Ring& ring : rings) ends.emplace_back(ring.handle);
    const auto all_taken = [&] {
      return std::ranges::all_of(ends, [&](auto& end) { return end.taken() == count; });
    };
    EXPECT_TRUE(step_until(all_taken, [&] {
      for (auto& end : ends) {
        const SemaphoreBatch batch = end.take(cpu, 4, 0);
        for (std::uint64_t n = batch.first; n < batch.first + batch.count; ++n) {
          EXPECT_EQ(end.item(n).number, n);
          end.done(n);
        }
      }
    }));
    for (auto& end : ends) EXPECT_EQ(end.take(cpu, 4, kEver).status, SemaphoreStatus::kClosed);
  });
}

}  // namespace
}  // namespace ringside::test
