// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Collectives of HostBlock.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "lib/base/clock.hpp"
#include "tests/unit/kernel_run.hpp"

namespace ringside::test {
namespace {

using DeviceBlock = BlockSizes;
RS_FOR_BLOCK_SIZES(DeviceBlock);

TEST_P(DeviceBlock, broadcast_gives_all_threads_what_rank_0_had) {
  struct Big {
    std::uint64_t words[8];
  };
  run_block(GetParam(), [](HostBlock& block) {
    for (std::uint64_t turn = 0; turn < 100; ++turn) {
      Big big{};
      for (auto& word : big.words) word = turn * 1000 + block.rank();
      for (const auto word : block.broadcast(big).words) ASSERT_EQ(word, turn * 1000);
    }
  });
}

TEST_P(DeviceBlock, any_and_all_differ_when_one_thread_differs) {
  const std::uint32_t threads = GetParam();
  run_block(threads, [threads](HostBlock& block) {
    for (std::uint32_t one = 0; one < threads; ++one) {
      EXPECT_TRUE(block.any(block.rank() == one));
      EXPECT_EQ(block.all(block.rank() == one), threads == 1);
      EXPECT_FALSE(block.any(false));
      EXPECT_TRUE(block.all(true));
      EXPECT_EQ(block.all(block.rank() != one), false);
    }
  });
}

TEST_P(DeviceBlock, min_is_found_wherever_it_is) {
  const std::uint32_t threads = GetParam();
  run_block(threads, [threads](HostBlock& block) {
    for (std::uint32_t one = 0; one < threads; ++one) {
      EXPECT_EQ(block.min(block.rank() == one ? 7U : 100U + block.rank()), 7U);
    }
  });
}

TEST_P(DeviceBlock, exclusive_scan_counts_the_lower_ranks) {
  const std::uint32_t threads = GetParam();
  run_block(threads, [threads](HostBlock& block) {
    for (std::uint32_t turn = 1; turn < 50; ++turn) {
      std::uint32_t total = 0;
      const std::uint32_t before = block.exclusive_scan(block.rank() + turn, total);
      EXPECT_EQ(before, block.rank() * turn + block.rank() * (block.rank() - 1) / 2);
      EXPECT_EQ(total, threads * turn + threads * (threads - 1) / 2);
    }
  });
}

TEST_P(DeviceBlock, sum_adds_each_value_over_all_threads) {
  const std::uint64_t threads = GetParam();
  run_block(GetParam(), [threads](HostBlock& block) {
    for (std::uint64_t turn = 0; turn < 50; ++turn) {
      std::uint64_t values[3] = {1, block.rank(), turn << 40};
      block.sum(values);
      EXPECT_EQ(values[0], threads);
      EXPECT_EQ(values[1], threads * (threads - 1) / 2);
      EXPECT_EQ(values[2], threads * (turn << 40));
    }
  });
}

TEST_P(DeviceBlock, sync_shows_each_thread_what_the_others_wrote) {
  const std::uint32_t threads = GetParam();
  std::vector<std::uint32_t> written(threads);
  run_block(threads, [&](HostBlock& block) {
    for (std::uint32_t turn = 1; turn < 200; ++turn) {
      written[block.rank()] = turn;
      block.sync();
      for (const auto value : written) ASSERT_EQ(value, turn);
      block.sync();
    }
  });
}

TEST_P(DeviceBlock, prefix_ends_at_the_first_index_that_fails) {
  run_block(GetParam(), [](HostBlock& block) {
    for (std::uint32_t hole = 0; hole < 70; ++hole) {
      // What comes after the hole does not count.
      const std::uint32_t found = block_prefix(block, 64, [hole](auto i) { return i != hole; });
      EXPECT_EQ(found, hole < 64 ? hole : 64U);
    }
    EXPECT_EQ(block_prefix(block, 0, [](auto) { return true; }), 0U);
  });
}

TEST_P(DeviceBlock, threads_share_one_object_of_each_type) {
  struct Numbers {
    std::uint32_t of_rank[32];
  };
  run_block(GetParam(), [](HostBlock& block) {
    auto& numbers = block.shared<Numbers>();
    EXPECT_NE(static_cast<void*>(&numbers), static_cast<void*>(&block.shared<std::uint64_t>()));
    numbers.of_rank[block.rank()] = 100 + block.rank();
    block.sync();
    for (std::uint32_t rank = 0; rank < block.size(); ++rank) {
      EXPECT_EQ(block.shared<Numbers>().of_rank[rank], 100 + rank);
    }
  });
}

TEST_P(DeviceBlock, a_look_tells_owner_and_length_of_a_cqe) {
  Cqe cqe{};
  cqe.op_own = 0x21;
  cqe.byte_count = Be32::of(1500);
  cqe.wqe_counter = Be16::of(7);
  run_block(GetParam(), [&cqe](HostBlock& block) {
    CqeTail tail;
    ASSERT_TRUE(block.look(&cqe, tail));
    EXPECT_EQ(tail.op_own(), 0x21);
    EXPECT_EQ(tail.length(), 1500U);
    EXPECT_EQ(tail.wqe_counter(), 7U);
  });
}

// A barrier that spun would leave the cores to whoever waits.
TEST(HostBlocks, eight_blocks_of_many_threads_progress_on_few_cores) {
  std::vector<std::jthread> blocks;
  std::atomic<std::uint32_t> done{0};
  for (int i = 0; i < 8; ++i) {
    blocks.emplace_back([&done] {
      run_block(8, [](HostBlock& block) {
        for (std::uint32_t turn = 0; turn < 200; ++turn) block.sync();
      });
      ++done;
    });
  }
  EXPECT_TRUE(wait_until([&done] { return done == 8; }));
}

TEST(HostBlocks, waiting_at_a_barrier_costs_no_cpu) {
  run_block(4, [](HostBlock& block) {
    const std::uint64_t before = process_cpu_ns();
    if (block.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    block.sync();
    if (block.rank() == 0) {
      EXPECT_LT(process_cpu_ns() - before, 100'000'000U);
    }
  });
}

TEST(HostBlocks, a_block_that_idles_long_leaves_the_core_alone) {
  run_block(1, [](HostBlock& block) {
    const std::uint64_t end = monotonic_ns() + 200'000'000;
    const std::uint64_t before = process_cpu_ns();
    block.idle([end] { return monotonic_ns() >= end; });
    EXPECT_LT(process_cpu_ns() - before, 100'000'000U);
  });
}

}  // namespace
}  // namespace ringside::test
