// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A CUDA thread block as a Block, and its warps. For files that a CUDA compiler builds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lib/device/block.hpp"
#include "lib/device/impl/cuda_warp.hpp"

namespace ringside {

/// What the block's threads share: a __shared__ variable of the kernel.
struct CudaBlockStorage {
  // Two sets in turn, so that one barrier a collective suffices: see HostBlockTeam.
  using Words = std::uint64_t[2][32][kSumValues];  // [turn][warp]
  Words all;
  Words workers;
};

/// One thread's view of the first `size` threads of the block. A multiple of 32. Calls as Block has
/// them (lib/device/block.hpp).
class CudaThreads : public CudaThread {
 public:
  RS_DEVICE CudaThreads(CudaBlockStorage::Words& words, std::uint32_t size, std::uint32_t barrier)
      : words_(words), size_(size), barrier_(barrier) {}

  RS_DEVICE std::uint32_t rank() const { return threadIdx.x; }
  RS_DEVICE std::uint32_t size() const { return size_; }

  RS_DEVICE void sync() { asm volatile("bar.sync %0, %1;" ::"r"(barrier_), "r"(size_) : "memory"); }

  RS_DEVICE bool any(bool predicate) {
    return reduce(__any_sync(kWholeWarp, predicate) != 0,
                  [](std::uint32_t a, std::uint32_t b) { return a | b; }) != 0;
  }
  RS_DEVICE bool all(bool predicate) {
    return reduce(__all_sync(kWholeWarp, predicate) != 0,
                  [](std::uint32_t a, std::uint32_t b) { return a & b; }) != 0;
  }
  RS_DEVICE std::uint32_t min(std::uint32_t value) {
    return reduce(__reduce_min_sync(kWholeWarp, value),
                  [](std::uint32_t a, std::uint32_t b) { return a < b ? a : b; });
  }

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

  RS_DEVICE std::uint32_t exclusive_scan(std::uint32_t count, std::uint32_t& total) {
    const std::uint32_t upto = warp_inclusive_scan(count);
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

  template <class T, std::size_t N>
  RS_DEVICE void sum(T (&values)[N]) {
    static_assert(N <= kSumValues);
    for (std::size_t i = 0; i < N; ++i) {
      values[i] = warp_sum(values[i]);
      if (lane() == 0) words(warp())[i] = values[i];
    }
    sync();
    for (std::size_t i = 0; i < N; ++i) {
      values[i] = 0;
      for (std::uint32_t w = 0; w < warps(); ++w) values[i] += static_cast<T>(words(w)[i]);
    }
    next();
  }

 private:
  /// Of one value a warp.
  template <class Combine>
  RS_DEVICE std::uint32_t reduce(std::uint32_t of_warp, Combine combine) {
    if (lane() == 0) *words(warp()) = of_warp;
    sync();
    std::uint32_t result = of_warp;
    for (std::uint32_t i = 0; i < warps(); ++i) {
      result = combine(result, static_cast<std::uint32_t>(*words(i)));
    }
    next();
    return result;
  }

  RS_DEVICE std::uint32_t warp() const { return rank() >> 5; }
  RS_DEVICE std::uint32_t warps() const { return size_ >> 5; }
  RS_DEVICE std::uint64_t* words(std::uint32_t warp) { return words_[turn_][warp]; }
  RS_DEVICE void next() { turn_ ^= 1U; }

  CudaBlockStorage::Words& words_;
  const std::uint32_t size_;
  const std::uint32_t barrier_;
  std::uint32_t turn_ = 0;
};
static_assert(Block<CudaThreads>);

/// The whole block, which is one-dimensional and a multiple of 32 threads.
class CudaBlock : public CudaThreads {
 public:
  RS_DEVICE explicit CudaBlock(CudaBlockStorage& storage)
      : CudaThreads(storage.all, blockDim.x, 0),
        workers_(storage.workers, blockDim.x > 32 ? blockDim.x - 32 : 32, 1) {}

  RS_DEVICE CudaWarp front() const { return {}; }
  RS_DEVICE CudaThreads& workers() { return workers_; }
  RS_DEVICE CudaWarp back() const { return {}; }
  RS_DEVICE CudaWarp ringer() const { return {}; }
  RS_DEVICE bool in_front() const { return rank() < 32; }
  RS_DEVICE bool in_workers() const { return rank() < workers_.size(); }
  RS_DEVICE bool in_back() const { return rank() + 32 >= size(); }
  RS_DEVICE bool in_ringer() const {
    return ringer_is_apart() ? rank() + 64 >= size() && !in_back() : in_back();
  }
  RS_DEVICE bool ringer_is_apart() const { return size() >= 96; }
  static constexpr bool kHasParts = true;

 private:
  CudaThreads workers_;
};
static_assert(WholeBlock<CudaBlock>);

}  // namespace ringside
