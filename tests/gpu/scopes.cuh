// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Scopes of a kernel's threads.
#pragma once

#include <cstdint>
#include <type_traits>

#include "lib/device/cuda_block.hpp"
#include "lib/device/thread_scope.hpp"
#include "tests/gpu/errand.hpp"

namespace ringside::test::gpu {

template <GpuScope kScope>
__device__ auto make_scope(CudaBlockStorage& storage) {
  if constexpr (kScope == GpuScope::kThread) {
    return ThreadScope();
  } else if constexpr (kScope == GpuScope::kWarp) {
    return CudaWarp();
  } else {
    return CudaBlock(storage);
  }
}

/// Of the grid's scopes of the kind, the one that this thread is of.
template <Scope S>
__device__ std::uint32_t number_of(const S& scope) {
  return (blockIdx.x * blockDim.x + threadIdx.x) / scope.size();
}

/// Calls run() in all threads, in each lane that is a scope by itself. A compiler lets lanes that
/// have parted meet again where their ways do, so that one that has finished something awaits those
/// that have not; which hangs where these await the first. Lanes that come in one by one never meet
/// within run(), and the GPU lets each get on (CUDA guide, "Independent Thread Scheduling").
template <Scope S, class Run>
__device__ void apart(const S&, Run run) {
  if constexpr (!std::is_same_v<S, ThreadScope>) {
    run();
  } else {
    for (unsigned lane = 0;; ++lane) {
      asm volatile("" : "+r"(lane));  // or the loop would be seen through
      if (lane == (threadIdx.x & 31U)) return run();
    }
  }
}

}  // namespace ringside::test::gpu
