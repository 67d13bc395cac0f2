// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A warp as a Block: its collectives are a few instructions and touch no memory. Those that tell
// something order no memory, so __syncwarp makes barriers of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lib/device/block.hpp"
#include "lib/device/memory.hpp"

namespace ringside {

/// What a thread has whatever block it is in.
class CudaThread {
 public:
  RS_DEVICE std::uint64_t now_ns() const {
    std::uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
  }

  // An SM that polls takes nothing from anyone, and to ask first would cost a read over PCIe.
  template <class Ready>
  RS_DEVICE void idle(Ready) {}

  template <class Ready>
  RS_DEVICE void poll_until(Ready ready) {
    bool done = false;
    while (!done) done = ready();
  }

  static constexpr std::uint32_t kLookThreads = 2;
  static constexpr std::uint32_t kAwaitLooks = 4;

  /// The second of a pair of lanes gets to know.
  RS_DEVICE bool look(const Cqe* cqe, CqeTail& tail) {
    Half own{};
    if (cqe != nullptr) load_acquire_system_16(half_of(cqe), own.words);
    return join(cqe, own, tail);
  }

  /// A few looks, one after the other, until `there` says of the op_own of one of the warp's CQEs
  /// that it has come.
  template <class There>
  RS_DEVICE bool await(const Cqe* cqe, There there, CqeTail& tail) {
    bool knows = look(cqe, tail);
    for (std::uint32_t i = 1; i < kAwaitLooks; ++i) {
      if (__any_sync(kWholeWarp, knows && there(tail.op_own()))) break;
      knows = look(cqe, tail);
    }
    return knows;
  }

  template <class T>
  RS_DEVICE T& shared() {
    __shared__ T object;
    return object;
  }

 private:
  /// What one lane of a pair loads of a CQE's tail.
  struct Half {
    std::uint32_t words[4];
  };
  RS_DEVICE static bool second() { return (threadIdx.x & 1U) != 0; }
  RS_DEVICE static const std::uint8_t* half_of(const Cqe* cqe) {
    return reinterpret_cast<const std::uint8_t*>(cqe) + kCqeTailOffset +
           (second() ? sizeof(Half) : 0);
  }
  RS_DEVICE static bool join(const Cqe* cqe, const Half& own, CqeTail& tail) {
    tail.byte_count_ = __shfl_up_sync(kWholeWarp, own.words[3], 1);
    for (int i = 0; i < 4; ++i) tail.words_[i] = own.words[i];
    return second() && cqe != nullptr;
  }

 protected:
  static constexpr unsigned kWholeWarp = 0xffffffffU;

  RS_DEVICE static std::uint32_t lane() { return threadIdx.x & 31U; }

  /// Of this lane's count and those of the lanes below it.
  RS_DEVICE static std::uint32_t warp_inclusive_scan(std::uint32_t count) {
    if (!__any_sync(kWholeWarp, count > 1)) {  // as bits: one step in place of five
      const std::uint32_t bits = __ballot_sync(kWholeWarp, count != 0);
      return static_cast<std::uint32_t>(__popc(bits & (kWholeWarp >> (31U - lane()))));
    }
    for (std::uint32_t step = 1; step < 32; step *= 2) {
      const std::uint32_t below = __shfl_up_sync(kWholeWarp, count, step);
      if (lane() >= step) count += below;
    }
    return count;
  }

  RS_DEVICE static std::uint32_t warp_sum(std::uint32_t value) {
    return __reduce_add_sync(kWholeWarp, value);
  }
  RS_DEVICE static std::uint64_t warp_sum(std::uint64_t value) {
    for (std::uint32_t step = 16; step > 0; step /= 2) {
      value += __shfl_xor_sync(kWholeWarp, value, step);
    }
    return value;
  }
};

class CudaWarp : public CudaThread {
 public:
  RS_DEVICE std::uint32_t rank() const { return lane(); }
  RS_DEVICE std::uint32_t size() const { return 32; }
  RS_DEVICE void sync() { __syncwarp(); }
  RS_DEVICE bool any(bool predicate) {
    __syncwarp();
    return __any_sync(kWholeWarp, predicate) != 0;
  }
  RS_DEVICE bool all(bool predicate) {
    __syncwarp();
    return __all_sync(kWholeWarp, predicate) != 0;
  }
  RS_DEVICE std::uint32_t min(std::uint32_t value) {
    __syncwarp();
    return __reduce_min_sync(kWholeWarp, value);
  }

  template <class T>
  RS_DEVICE T broadcast(const T& value) {
    static_assert(sizeof(T) <= kBroadcastBytes);
    constexpr std::size_t kWords = (sizeof(T) + 3) / 4;
    std::uint32_t words[kWords] = {};
    memcpy(words, &value, sizeof(T));
    for (std::size_t i = 0; i < kWords; ++i) words[i] = __shfl_sync(kWholeWarp, words[i], 0);
    __syncwarp();
    T result;
    memcpy(&result, words, sizeof(T));
    return result;
  }

  RS_DEVICE std::uint32_t exclusive_scan(std::uint32_t count, std::uint32_t& total) {
    __syncwarp();
    const std::uint32_t upto = warp_inclusive_scan(count);
    total = __shfl_sync(kWholeWarp, upto, 31);
    return upto - count;
  }

  template <class T, std::size_t N>
  RS_DEVICE void sum(T (&values)[N]) {
    __syncwarp();
    for (T& value : values) value = warp_sum(value);
  }
};
static_assert(Block<CudaWarp>);

}  // namespace ringside
