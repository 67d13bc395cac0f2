// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Collectives of blocks and of their parts: HostBlock, or on a GPU CudaBlock and CudaWarp.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/block_run.hpp"

namespace ringside::test {
namespace {

struct Who {
  std::uint32_t threads;
  Part part;
};

/// The parts of host threads' blocks are all the block.
std::vector<Who> all_of_them() {
  if (!kLanesComeTogether) return {{1, Part::kWhole}, {4, Part::kWhole}, {32, Part::kWhole}};
  std::vector<Who> all;
  for (const std::uint32_t threads : {32, 64, 96, 256}) {
    for (const Part part : {Part::kWhole, Part::kFront, Part::kWorkers, Part::kBack}) {
      all.push_back({threads, part});
    }
  }
  return all;
}

class DeviceBlock : public testing::TestWithParam<Who> {
 protected:
  template <class What>
  static void check() {
    check_in_blocks<What>(1, GetParam().threads, GetParam().part, nullptr, [] {});
  }
};
std::string name_of(const testing::TestParamInfo<Who>& info) {
  static constexpr const char* kParts[] = {"all", "front", "workers", "back"};
  return std::string(kParts[static_cast<int>(info.param.part)]) + "_of_" +
         std::to_string(info.param.threads);
}
INSTANTIATE_TEST_SUITE_P(parts, DeviceBlock, testing::ValuesIn(all_of_them()), name_of);

TEST_P(DeviceBlock, broadcast_gives_all_threads_what_rank_0_had) {
  check<BroadcastGivesAllWhatRank0Had>();
}
TEST_P(DeviceBlock, any_and_all_differ_when_one_thread_differs) {
  check<AnyAndAllDifferWhenOneThreadDiffers>();
}
TEST_P(DeviceBlock, min_is_found_wherever_it_is) {
  check<MinIsFoundWhereverItIs>();
}
TEST_P(DeviceBlock, exclusive_scan_counts_the_lower_ranks) {
  check<ExclusiveScanCountsTheLowerRanks>();
}
TEST_P(DeviceBlock, sum_adds_each_value_over_all_threads) {
  check<SumAddsEachValueOverAllThreads>();
}
TEST_P(DeviceBlock, sync_shows_each_thread_what_the_others_wrote) {
  check<SyncShowsEachThreadWhatTheOthersWrote>();
}
TEST_P(DeviceBlock, prefix_ends_at_the_first_index_that_fails) {
  check<PrefixEndsAtTheFirstIndexThatFails>();
}
TEST_P(DeviceBlock, threads_share_one_object_of_each_type) {
  check<ThreadsShareOneObjectOfEachType>();
}
TEST_P(DeviceBlock, a_look_tells_owner_and_length_of_a_cqe) {
  check<ALookTellsOwnerAndLengthOfACqe>();
}
TEST_P(DeviceBlock, its_parts_are_as_many_threads_as_they_say) {
  check<ThePartsOfABlockAreItsThreads>();
}

TEST_P(DeviceBlock, what_a_thread_finds_wrong_is_told) {
  static Who who;
  who = GetParam();
  EXPECT_NONFATAL_FAILURE(
      check_in_blocks<AThreadFindsSomethingWrong>(1, who.threads, who.part, nullptr, [] {}),
      "line of the check");
}

}  // namespace
}  // namespace ringside::test
