// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Runs unit tests whose kernels are a GPU's. What a test has, on its stack too, lies in memory that
// the GPU reaches by the same addresses. 77: there is no GPU.
#include <gtest/gtest.h>
#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/gpu/launch.hpp"
#include "tests/gpu/pinned_heap.hpp"

namespace ringside::test::gpu {
namespace {

constexpr std::size_t kHeapBytes = std::size_t{1} << 30;
constexpr std::size_t kStackBytes = std::size_t{8} << 20;

void* run_tests(void* status) {
  *static_cast<int*>(status) = RUN_ALL_TESTS();
  return nullptr;
}

int run(int argc, char** argv) {
  // A GPU's blocks are whole warps: of other sizes there are tests for host threads only. So there
  // are of a thread's long loops, each of whose calls would cross PCIe.
  GTEST_FLAG_SET(filter, "-*/1:*/4:*_block_1:*_block_1_*:thread/*");
  testing::InitGoogleTest(&argc, argv);
  // Of what is loaded later, the GPU would wait for kernels that run; so it would for a ninth
  // stream.
  ::setenv("CUDA_MODULE_LOADING", "EAGER", 1);
  ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 1);
  if (!pinned_heap::use(kHeapBytes)) {
    std::printf("no GPU\n");
    return 77;
  }
  if (const std::string wrong(load_kernels()); !wrong.empty()) {
    std::printf("the kernels cannot be loaded: %s\n", wrong.c_str());
    return 1;
  }
  int status = 1;
  pthread_attr_t attributes;
  pthread_t thread;
  ::pthread_attr_init(&attributes);
  auto* const stack = ::operator new (kStackBytes, std::align_val_t{4096});
  if (::pthread_attr_setstack(&attributes, stack, kStackBytes) != 0 ||
      ::pthread_create(&thread, &attributes, &run_tests, &status) != 0) {
    std::printf("no thread on a stack in pinned memory\n");
    return 1;
  }
  ::pthread_join(thread, nullptr);
  return status;
}

}  // namespace
}  // namespace ringside::test::gpu

int main(int argc, char** argv) {
  return ringside::test::gpu::run(argc, argv);
}
