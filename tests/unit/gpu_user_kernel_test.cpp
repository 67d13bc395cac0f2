// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A kernel with a loop of its own, as an application brings it (kernels/user_kernel.hpp).
#include <gtest/gtest.h>
#include <rte_bus_vdev.h>

#include <string>

#include "kernels/user_kernel.hpp"
#include "lib/base/error.hpp"
#include "lib/gpu/gpu_device.hpp"
#include "tests/unit/eal_environment.hpp"

namespace ringside::test {

/// Counts the threads of its block in rx_packets, then waits for its exit word.
template <Block B>
RS_DEVICE void count_threads(B& block, const StreamArgs& stream) {
  std::uint64_t threads[1] = {1};
  block.sum(threads);
  if (block.rank() != 0) return;
  store_relaxed_system(&stream.counters->rx_packets, threads[0]);
  store_release_system(&stream.status->phase, BlockPhase::kReceiving);
  block.poll_until([&] { return load_acquire_system(&stream.control->exit) != 0; });
  store_release_system(&stream.status->phase, BlockPhase::kFinished);
}

}  // namespace ringside::test

RINGSIDE_KERNEL(thread_counter, ringside::test::count_threads)
RINGSIDE_KERNEL(macswap, ringside::test::count_threads)

namespace ringside::test {
namespace {

class GpuUserKernel : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(rte_vdev_init("gpu_host0", "memory=32M"), 0);
    gpu_ = GpuDevice::open(0);
  }
  void TearDown() override {
    gpu_.reset();
    rte_vdev_uninit("gpu_host0");
  }
  std::string refusal(const UserKernel& kernel) {
    try {
      gpu_->add_kernel(kernel);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      return error.what();
    }
    return "";
  }

  std::unique_ptr<GpuDevice> gpu_;
};

TEST_F(GpuUserKernel, runs_by_its_name_once_it_was_added) {
  struct Words {
    StreamCounters counters;
    StreamControl control;
    StreamStatus status;
  };
  const GpuMemory memory = gpu_->allocate_shared(sizeof(Words), alignof(Words));
  auto* const words = memory.kernel_pointer<Words>();
  StreamArgs stream{};
  stream.counters = &words->counters;
  stream.control = &words->control;
  stream.status = &words->status;
  const LaunchConfig launch{
      .kernel = "thread_counter", .threads_per_block = 3, .streams = {stream}, .cpus = {}};

  EXPECT_THROW(gpu_->launch(launch), Error);
  gpu_->add_kernel(thread_counter);
  const auto kernel = gpu_->launch(launch);
  const Deadline deadline = Deadline::after_ms(5000);
  while (load_acquire_system(&words->status.phase) != BlockPhase::kReceiving) {
    ASSERT_FALSE(deadline.passed());
  }
  EXPECT_EQ(words->counters.rx_packets, 3U);
  kernel->request_stop();
  EXPECT_NO_THROW(kernel->join(Deadline::after_ms(5000)));
}

TEST_F(GpuUserKernel, name_that_another_kernel_has_is_refused) {
  EXPECT_EQ(refusal(thread_counter), "");
  EXPECT_NE(refusal(thread_counter).find("'thread_counter' already"), std::string::npos);
  EXPECT_NE(refusal(macswap).find("'macswap' already"), std::string::npos);
}

TEST_F(GpuUserKernel, unknown_kernel_lists_the_added_ones_too) {
  gpu_->add_kernel(thread_counter);
  try {
    gpu_->launch({.kernel = "threads", .threads_per_block = 1, .streams = {}, .cpus = {}});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("txonly, thread_counter"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace ringside::test
