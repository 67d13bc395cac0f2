// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <atomic>
#include <set>

#include "lib/base/error.hpp"
#include "lib/base/relax.hpp"
#include "lib/gpu/block_threads.hpp"
#include "lib/gpu/cpu_set.hpp"
#include "tests/unit/wait.hpp"

namespace ringside {
namespace {

void nothing() {}

void wait_for(const std::atomic<bool>& flag) {
  EXPECT_TRUE(test::wait_until([&] { return flag.load(std::memory_order_acquire); }));
}

unsigned first_cpu() {
  unsigned cpu = 0;
  while (!CPU_ISSET(cpu, &startup_cpus())) ++cpu;
  return cpu;
}

TEST(BlockThreads, each_thread_of_each_block_runs_once_and_the_last_one_says_so) {
  std::mutex mutex;
  std::multiset<std::pair<unsigned, unsigned>> ran;
  std::atomic<int> ends{0};
  {
    BlockThreads threads(
        {"gpu0", 3, 4, {}},
        [&](unsigned block, unsigned thread) {
          const std::lock_guard lock(mutex);
          ran.emplace(block, thread);
        },
        [&] { ++ends; });
    ASSERT_TRUE(threads.wait(Deadline::after_ms(5000)));
    EXPECT_FALSE(threads.running());
  }
  EXPECT_EQ(ends, 1);
  ASSERT_EQ(ran.size(), 12U);
  EXPECT_EQ(std::set(ran.begin(), ran.end()).size(), 12U);
}

TEST(BlockThreads, threads_are_named_after_device_block_and_thread) {
  std::string name(32, '\0');
  BlockThreads threads(
      {"gpu3", 2, 2, {}},
      [&](unsigned block, unsigned thread) {
        if (block == 1 && thread == 1) pthread_getname_np(pthread_self(), name.data(), name.size());
      },
      nothing);
  ASSERT_TRUE(threads.wait(Deadline::after_ms(5000)));
  EXPECT_STREQ(name.c_str(), "gpu3-b1-t1");
}

TEST(BlockThreads, threads_take_no_signals) {
  sigset_t mask;
  sigemptyset(&mask);
  BlockThreads threads(
      {"gpu0", 1, 1, {}}, [&](unsigned, unsigned) { pthread_sigmask(SIG_SETMASK, nullptr, &mask); },
      nothing);
  ASSERT_TRUE(threads.wait(Deadline::after_ms(5000)));
  EXPECT_TRUE(sigismember(&mask, SIGINT));
  EXPECT_TRUE(sigismember(&mask, SIGTERM));
  sigset_t own;
  pthread_sigmask(SIG_SETMASK, nullptr, &own);
  EXPECT_FALSE(sigismember(&own, SIGINT));
}

cpu_set_t affinity_of_a_thread(const std::vector<unsigned>& cpus) {
  cpu_set_t seen;
  CPU_ZERO(&seen);
  BlockThreads threads(
      {"gpu0", 1, 1, cpus}, [&](unsigned, unsigned) { sched_getaffinity(0, sizeof seen, &seen); },
      nothing);
  EXPECT_TRUE(threads.wait(Deadline::after_ms(5000)));
  return seen;
}

TEST(BlockThreads, threads_do_not_inherit_the_cpu_that_their_maker_is_pinned_to) {
  if (CPU_COUNT(&startup_cpus()) < 2) GTEST_SKIP() << "needs two CPUs";
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first_cpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const cpu_set_t seen = affinity_of_a_thread({});
  sched_setaffinity(0, sizeof(cpu_set_t), &startup_cpus());
  EXPECT_TRUE(CPU_EQUAL(&seen, &startup_cpus()));
}

TEST(BlockThreads, threads_stay_on_the_cpus_given) {
  const unsigned cpu = first_cpu();
  const cpu_set_t seen = affinity_of_a_thread({cpu});
  EXPECT_EQ(CPU_COUNT(&seen), 1);
  EXPECT_TRUE(CPU_ISSET(cpu, &seen));
}

TEST(BlockThreads, cpu_that_the_process_does_not_have_is_named) {
  for (const unsigned cpu : {1000U, 100000U}) {
    try {
      BlockThreads threads(
          {"gpu0", 1, 1, {cpu}}, [](unsigned, unsigned) { FAIL(); }, nothing);
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_NE(std::string(error.what()).find("CPU " + std::to_string(cpu)), std::string::npos);
    }
  }
}

TEST(BlockThreads, wait_ends_at_its_deadline_and_tells_who_is_left) {
  std::atomic<bool> release{false};
  BlockThreads threads(
      {"gpu0", 3, 2, {}},
      [&](unsigned block, unsigned thread) {
        if (block == 1 && thread == 0) wait_for(release);
      },
      nothing);
  EXPECT_FALSE(threads.wait(Deadline::after_ms(200)));
  EXPECT_TRUE(threads.running());
  EXPECT_EQ(threads.unfinished(), std::vector<unsigned>{1});
  release.store(true, std::memory_order_release);
  EXPECT_TRUE(threads.wait(Deadline::after_ms(5000)));
  EXPECT_TRUE(threads.unfinished().empty());
}

TEST(BlockThreads, eight_blocks_on_two_cpus_all_move) {
  constexpr unsigned kBlocks = 8;
  constexpr std::uint64_t kPasses = 100;
  std::atomic<std::uint64_t> passes[kBlocks] = {};
  std::atomic<bool> stop{false};
  BlockThreads threads(
      {"gpu0", kBlocks, 1, {}},
      [&](unsigned block, unsigned) {
        Relax relax;
        while (!stop.load(std::memory_order_acquire)) {
          passes[block].fetch_add(1, std::memory_order_relaxed);
          relax.relax();
        }
      },
      nothing);
  const Deadline deadline = Deadline::after_ms(5000);
  unsigned moved = 0;
  while (moved < kBlocks && !deadline.passed()) {
    moved = 0;
    for (const auto& block : passes) moved += block.load(std::memory_order_relaxed) >= kPasses;
    sched_yield();
  }
  stop.store(true, std::memory_order_release);
  EXPECT_EQ(moved, kBlocks);
  EXPECT_TRUE(threads.wait(Deadline::after_ms(5000)));
}

}  // namespace
}  // namespace ringside
