// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A kernel that leaves its memory, on a real GPU (test_gpu_cuda.py).
#include <gtest/gtest.h>
#include <sched.h>

#include <string>

#include "lib/base/clock.hpp"
#include "lib/base/error.hpp"
#include "lib/dpdk/eal.hpp"
#include "lib/gpu/gpu_device.hpp"
#include "lib/runtime/gpu_stream.hpp"

namespace ringside::test {
namespace {

TEST(GpuFault, illegal_address_is_one_error_that_names_the_kernel_and_never_a_hang) {
  const Eal eal({"gpu_fault", "-l", "0", "--no-huge", "-m", "64", "--no-shconf", "--no-telemetry",
                 "--no-pci", "--vdev=gpu_cuda0"});
  const auto gpu = GpuDevice::open(0);
  const GpuMemory words = gpu->allocate_shared(sizeof(StreamWords), alignof(StreamWords));
  const GpuMemory state = gpu->allocate(4096, 64);
  StreamArgs stream{};
  stream.rx.state = state.kernel_pointer<RxQueueState>();
  stream.tx.state = state.kernel_pointer<TxQueueState>(64);
  stream.rx.slot_iova = state.kernel_pointer<std::uint64_t>(128);
  stream.rx.log_depth = stream.rx.log_cq_depth = stream.tx.log_depth = stream.tx.log_cq_depth = 4;
  stream.rx.cqe = stream.tx.cqe = reinterpret_cast<Cqe*>(std::uintptr_t{1} << 16);  // no memory
  stream.counters = words.kernel_pointer<StreamCounters>(offsetof(StreamWords, counters));
  stream.control = words.kernel_pointer<StreamControl>(offsetof(StreamWords, control));
  stream.status = words.kernel_pointer<StreamStatus>(offsetof(StreamWords, status));
  stream.burst = 32;

  const auto kernel = gpu->launch({.kernel = "io",
                                   .threads_per_block = gpu->block_threads(0),
                                   .streams = {stream},
                                   .cpus = {}});
  const Deadline deadline = Deadline::after_ms(5000);
  while (kernel->running() && !deadline.passed()) sched_yield();
  ASSERT_FALSE(kernel->running()) << "hangs";
  try {
    kernel->join(Deadline::after_ms(1000));
    FAIL() << "no error";
  } catch (const Error& error) {
    for (const char* part : {"'io'", "gpu_cuda0", "faulted", "CUDA_ERROR_ILLEGAL_ADDRESS"}) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace ringside::test
