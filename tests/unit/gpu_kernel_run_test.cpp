// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/base/relax.hpp"
#include "lib/device/memory.hpp"
#include "lib/gpu/host_kernel_run.hpp"

namespace ringside {
namespace {

constexpr std::uint64_t kPatienceMs = 5000;

/// Counts passes until it is told to stop.
void count_passes(HostBlock& block, const StreamArgs& args) {
  Relax relax;
  for (;;) {
    const bool exit = block.broadcast(load_acquire_system(&args.control->exit)) != 0;
    if (exit) break;
    std::uint64_t threads[1] = {1};
    block.sum(threads);
    if (block.rank() == 0) {
      store_relaxed_system(&args.counters->batches, args.counters->batches + 1);
      store_relaxed_system(&args.counters->rx_packets, args.counters->rx_packets + threads[0]);
    }
    relax.relax();
  }
  if (block.rank() == 0) store_release_system(&args.status->phase, BlockPhase::kFinished);
}

std::atomic<bool> let_go{false};

/// Ends when the test says so, whatever its exit word is; streams with burst 0 obey.
void ignore_exit(HostBlock&, const StreamArgs& args) {
  store_release_system(&args.status->phase, BlockPhase::kWaitingForSendRoom);
  Relax relax;
  while (!let_go.load(std::memory_order_acquire)) {
    if (args.burst == 0 && load_acquire_system(&args.control->exit) != 0) return;
    relax.relax();
  }
}

const HostKernel kCountPasses{"count_passes", count_passes, nullptr, nullptr, false, false};
const HostKernel kIgnoreExit{"ignore_exit", ignore_exit, nullptr, nullptr, false, false};

class KernelRun : public testing::Test {
 protected:
  struct Words {
    StreamCounters counters{};
    StreamControl control{};
    StreamStatus status{};
  };

  explicit KernelRun() : memory_(std::make_shared<HostMemory>(HostMemoryConfig{"gpu", 1 << 20})) {
    let_go.store(false, std::memory_order_release);
  }

  LaunchConfig config(unsigned blocks, unsigned threads_per_block) {
    words_ = std::vector<Words>(blocks);
    LaunchConfig made;
    made.threads_per_block = threads_per_block;
    for (Words& words : words_) {
      StreamArgs args{};
      args.counters = &words.counters;
      args.control = &words.control;
      args.status = &words.status;
      made.streams.push_back(args);
    }
    return made;
  }

  bool eventually_all_blocks_pass(std::uint64_t passes) const {
    const Deadline deadline = Deadline::after_ms(kPatienceMs);
    for (const Words& words : words_) {
      Relax relax;
      while (load_relaxed_system(&words.counters.batches) < passes) {
        if (deadline.passed()) return false;
        relax.relax();
      }
    }
    return true;
  }

  std::shared_ptr<HostMemory> memory_;
  std::vector<Words> words_;
};

TEST_F(KernelRun, stop_ends_every_block) {
  HostKernelRun run(kCountPasses, config(3, 1), "gpu0", memory_);
  EXPECT_TRUE(eventually_all_blocks_pass(10));
  EXPECT_TRUE(run.running());
  run.request_stop();
  EXPECT_NO_THROW(run.join(Deadline::after_ms(kPatienceMs)));
  EXPECT_FALSE(run.running());
  for (const Words& words : words_) {
    EXPECT_EQ(load_acquire_system(&words.status.phase), BlockPhase::kFinished);
  }
}

TEST_F(KernelRun, threads_of_a_block_work_together) {
  HostKernelRun run(kCountPasses, config(2, 4), "gpu0", memory_);
  EXPECT_TRUE(eventually_all_blocks_pass(10));
  run.request_stop();
  run.join(Deadline::after_ms(kPatienceMs));
  for (const Words& words : words_) {
    EXPECT_EQ(words.counters.rx_packets, 4 * words.counters.batches);
  }
}

TEST_F(KernelRun, eight_blocks_of_four_threads_on_two_cpus_all_move) {
  HostKernelRun run(kCountPasses, config(8, 4), "gpu0", memory_);
  EXPECT_TRUE(eventually_all_blocks_pass(50));
}

TEST_F(KernelRun, join_that_takes_too_long_names_block_and_phase) {
  LaunchConfig launch = config(3, 1);
  launch.streams[1].burst = 1;
  HostKernelRun run(kIgnoreExit, launch, "gpu0", memory_);
  run.request_stop();
  try {
    run.join(Deadline::after_ms(300));
    FAIL() << "no error";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("'ignore_exit' on gpu0"), std::string::npos) << text;
    EXPECT_NE(text.find("block 1 waits for room in its send queue"), std::string::npos) << text;
    EXPECT_EQ(text.find("block 0"), std::string::npos) << text;
  }
  EXPECT_TRUE(run.running());
  let_go.store(true, std::memory_order_release);
  EXPECT_NO_THROW(run.join(Deadline::after_ms(kPatienceMs)));
}

TEST_F(KernelRun, memory_is_kept_until_the_last_block_has_ended) {
  void* address = nullptr;
  ASSERT_EQ(memory_->allocate(64, 0, &address), 0);
  LaunchConfig launch = config(2, 1);
  launch.streams[1].burst = 1;
  HostKernelRun run(kIgnoreExit, launch, "gpu0", memory_);
  run.request_stop();
  EXPECT_EQ(memory_->free(address), -EBUSY);
  let_go.store(true, std::memory_order_release);
  run.join(Deadline::after_ms(kPatienceMs));
  EXPECT_EQ(memory_->free(address), 0);
}

TEST_F(KernelRun, destruction_stops_the_kernel) {
  { HostKernelRun run(kCountPasses, config(2, 2), "gpu0", memory_); }
  EXPECT_FALSE(memory_->kernel_runs());
}

TEST_F(KernelRun, stopped_kernel_touches_its_words_no_more) {
  auto run = std::make_unique<HostKernelRun>(kCountPasses, config(1, 1), "gpu0", memory_);
  run->request_stop();
  run->join(Deadline::after_ms(kPatienceMs));
  words_ = {};
  run.reset();  // under AddressSanitizer a store to the words would end the test
}

TEST_F(KernelRun, threads_that_cannot_make_a_block_are_refused) {
  for (const unsigned threads : {0U, HostKernelRun::kMaxThreadsPerBlock + 1}) {
    EXPECT_THROW(HostKernelRun(kCountPasses, config(1, threads), "gpu0", memory_), Error);
  }
  EXPECT_FALSE(memory_->kernel_runs());
}

TEST_F(KernelRun, kernel_without_streams_is_refused) {
  EXPECT_THROW(HostKernelRun(kCountPasses, config(0, 1), "gpu0", memory_), Error);
}

TEST_F(KernelRun, kernel_that_cannot_start_leaves_memory_free) {
  LaunchConfig launch = config(1, 1);
  launch.cpus = {100000};
  EXPECT_THROW(HostKernelRun(kCountPasses, launch, "gpu0", memory_), Error);
  EXPECT_FALSE(memory_->kernel_runs());
}

using KernelRunDeathTest = KernelRun;

TEST_F(KernelRunDeathTest, block_that_never_ends_ends_the_program_with_its_name) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  LaunchConfig launch = config(2, 1);
  launch.streams[1].burst = 1;
  EXPECT_DEATH({ HostKernelRun run(kIgnoreExit, launch, "gpu0", memory_); },
               "'ignore_exit' on gpu0 cannot be stopped: block 1 waits for room in its send queue");
}

}  // namespace
}  // namespace ringside
