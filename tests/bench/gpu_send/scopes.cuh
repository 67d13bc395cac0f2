// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// How a block's threads call: each alone, by warps or all together. number() says which of the
// block's scopes a thread is in; each numbers its packets by itself.
#pragma once

#include "lib/device/cuda_block.hpp"
#include "lib/device/thread_scope.hpp"

namespace ringside::bench {

struct AsThread {
  static constexpr const char* kName = "thread";
  static constexpr std::uint32_t size(std::uint32_t) { return 1; }
  static __device__ ThreadScope scope(CudaBlockStorage&) { return {}; }
  static __device__ std::uint32_t number() { return threadIdx.x; }
};
/// Threads of a warp that come together by chance only.
struct AsStrayThread : AsThread {
  static constexpr const char* kName = "stray thread";
  static __device__ void stray(std::uint32_t round) {
    __nanosleep((threadIdx.x * 7 + round * 13) % 32 * 100);
  }
};
struct AsWarp {
  static constexpr const char* kName = "warp";
  static constexpr std::uint32_t size(std::uint32_t) { return 32; }
  static __device__ CudaWarp scope(CudaBlockStorage&) { return {}; }
  static __device__ std::uint32_t number() { return threadIdx.x / 32; }
};
struct AsBlock {
  static constexpr const char* kName = "block";
  static constexpr std::uint32_t size(std::uint32_t threads) { return threads; }
  static __device__ CudaBlock scope(CudaBlockStorage& storage) { return CudaBlock(storage); }
  static __device__ std::uint32_t number() { return 0; }
};

}  // namespace ringside::bench
