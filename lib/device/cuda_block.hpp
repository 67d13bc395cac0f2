// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A CUDA thread block as a Block. For files that a CUDA compiler builds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lib/device/block.hpp"
#include "lib/device/memory.hpp"

namespace ringside {

/// What the block's threads share: a __shared__ variable of the kernel.
struct CudaBlockStorage {
  // Two sets in turn, so that one barrier a collective suffices: see HostBlockTeam.
  std::uint64_t words[2][32][kSumValues];  // [turn][warp]
};

/// One thread's view. The block is one-dimensional and a multiple of 32 threads.
class CudaBlock {
 public:
  RS_DEVICE explicit CudaBlock(CudaBlockStorage& storage) : storage_(storage) {}

  RS_DEVICE std::uint32_t rank() const { return threadIdx.x; }
  RS_DEVICE std::uint32_t size() const { return blockDim.x; }
  RS_DEVICE std::uint64_t now_ns() const {
    std::uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
  }

  // An SM that polls takes nothing from anyone, and to ask first would cost a read over PCIe.
  template <class Ready>
  RS_DEVICE void idle(Ready) {}

  template <class Ready>
  RS_DEVICE void await(Ready ready) {
    bool done = false;
    while (!done) done = ready();
  }

  static constexpr std::uint32_t kLookThreads = 2;
  static constexpr std::uint32_t kFirstLook = 8;

  RS_DEVICE CqeTail look(const Cqe* cqe) {
    const bool second = (rank() & 1U) != 0;
    const std::uint32_t pair = 3U << (lane() & 30U);
    std::uint32_t own[4];
    load_acquire_system_16(
        reinterpret_cast<const std::uint8_t*>(cqe) + kCqeTailOffset + (second ? sizeof(own) : 0),
        own);
    std::uint32_t other[4];
    for (int i = 0; i < 4; ++i) other[i] = __shfl_xor_sync(pair, own[i], 1);
    CqeTail tail;
    tail.byte_count_ = second ? other[3] : own[3];
    for (int i = 0; i < 4; ++i) tail.words_[i] = second ? own[i] : other[i];
    return tail;
  }

  template <class T>
  RS_DEVICE T& shared() {
    __shared__ T object;
    return object;
  }

  RS_DEVICE void sync() { __syncthreads(); }
  RS_DEVICE bool any(bool predicate) { return __syncthreads_or(predicate) != 0; }
  RS_DEVICE bool all(bool predicate) { return __syncthreads_and(predicate) != 0; }

  template <class T>
  RS_DEVICE T broadcast(const T& value) {
    static_assert(sizeof(T) <= kBroadcastBytes);
    if (rank() == 0) memcpy(words(0), &value, sizeof(T));
    sync();
    T result;
    memcpy(&result, words(0), sizeof(T));
    next();
    return result;
  }

  RS_DEVICE std::uint32_t min(std::uint32_t value) {
    const std::uint32_t of_warp = __reduce_min_sync(kWholeWarp, value);
    if (lane() == 0) *words(warp()) = of_warp;
    sync();
    std::uint32_t result = value;
    for (std::uint32_t i = 0; i < warps(); ++i) {
      const std::uint32_t other = static_cast<std::uint32_t>(*words(i));
      result = other < result ? other : result;
    }
    next();
    return result;
  }

  RS_DEVICE std::uint32_t exclusive_scan(std::uint32_t count, std::uint32_t& total) {
    std::uint32_t upto = count;  // of this warp's lanes up to this one
    if (__any_sync(kWholeWarp, count > 1)) {
      for (std::uint32_t step = 1; step < 32; step *= 2) {
        const std::uint32_t below = __shfl_up_sync(kWholeWarp, upto, step);
        if (lane() >= step) upto += below;
      }
    } else {  // as bits: one step in place of five, on the way of every small batch
      const std::uint32_t bits = __ballot_sync(kWholeWarp, count != 0);
      upto = static_cast<std::uint32_t>(__popc(bits & (kWholeWarp >> (31U - lane()))));
    }
    if (lane() == 31) *words(warp()) = upto;
    sync();
    std::uint32_t before = 0;
    total = 0;
    for (std::uint32_t i = 0; i < warps(); ++i) {
      if (i == warp()) before = total;
      total += static_cast<std::uint32_t>(*words(i));
    }
    next();
    return before + upto - count;
  }

  template <std::size_t N>
  RS_DEVICE void sum(std::uint64_t (&values)[N]) {
    static_assert(N <= kSumValues);
    for (std::size_t i = 0; i < N; ++i) {
      for (std::uint32_t step = 16; step > 0; step /= 2) {
        values[i] += __shfl_xor_sync(kWholeWarp, values[i], step);
      }
      if (lane() == 0) words(warp())[i] = values[i];
    }
    sync();
    for (std::size_t i = 0; i < N; ++i) {
      values[i] = 0;
      for (std::uint32_t w = 0; w < warps(); ++w) values[i] += words(w)[i];
    }
    next();
  }

 private:
  static constexpr unsigned kWholeWarp = 0xffffffffU;

  RS_DEVICE std::uint32_t lane() const { return rank() & 31U; }
  RS_DEVICE std::uint32_t warp() const { return rank() >> 5; }
  RS_DEVICE std::uint32_t warps() const { return size() >> 5; }
  RS_DEVICE std::uint64_t* words(std::uint32_t warp) { return storage_.words[turn_][warp]; }
  RS_DEVICE void next() { turn_ ^= 1U; }

  CudaBlockStorage& storage_;
  std::uint32_t turn_ = 0;
};
static_assert(Block<CudaBlock>);

}  // namespace ringside
