// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Words that threads of a GPU share, in its own memory. Relaxed: what depends on them is ordered by
// a block's barriers. Not for memory of the host, which PCIe has no atomics on.
#pragma once

#include <cstdint>

#include "lib/device/target.hpp"

namespace ringside::stages {

#if defined(__CUDACC__)

RS_DEVICE std::uint64_t load_shared(const std::uint64_t* word) {
  std::uint64_t value;
  asm volatile("ld.relaxed.gpu.b64 %0, [%1];" : "=l"(value) : "l"(word));
  return value;
}
RS_DEVICE void store_shared(std::uint64_t* word, std::uint64_t value) {
  asm volatile("st.relaxed.gpu.b64 [%0], %1;" ::"l"(word), "l"(value));
}
// By addresses in global memory: on another, the machine first asks whether it is in a block's own,
// and waits for the answer even where nobody wants the value.
RS_DEVICE std::uint64_t fetch_add_shared(std::uint64_t* word, std::uint64_t value) {
  std::uint64_t found;
  asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;"
               : "=l"(found)
               : "l"(__cvta_generic_to_global(word)), "l"(value)
               : "memory");
  return found;
}
/// false: it held something else, which is now in `expected`.
RS_DEVICE bool exchange_shared(std::uint64_t* word, std::uint64_t& expected, std::uint64_t value) {
  std::uint64_t found;
  asm volatile("atom.relaxed.gpu.global.cas.b64 %0, [%1], %2, %3;"
               : "=l"(found)
               : "l"(__cvta_generic_to_global(word)), "l"(expected), "l"(value)
               : "memory");
  const bool exchanged = found == expected;
  expected = found;
  return exchanged;
}

/// The sum over the threads of a warp that come here together, added once.
RS_DEVICE void add_of_warp(std::uint64_t* word, std::uint32_t together, std::uint32_t sum) {
  std::uint32_t lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  if (__ffs(static_cast<int>(together)) - 1 != static_cast<int>(lane)) return;
  asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(word)),
               "l"(std::uint64_t{sum})
               : "memory");
}
/// `alone`: the word is the block's and the block has no other thread, which no block of a GPU is.
RS_DEVICE void add_shared(std::uint64_t* word, std::uint32_t value, bool /*alone*/) {
  const std::uint32_t together = __activemask();
  add_of_warp(word, together, __reduce_add_sync(together, value));
}
RS_DEVICE void count_shared(std::uint64_t* word, bool /*alone*/) {
  const std::uint32_t together = __activemask();
  add_of_warp(word, together, static_cast<std::uint32_t>(__popc(together)));
}

#else

inline std::uint64_t load_shared(const std::uint64_t* word) {
  return __atomic_load_n(word, __ATOMIC_RELAXED);
}
inline void store_shared(std::uint64_t* word, std::uint64_t value) {
  __atomic_store_n(word, value, __ATOMIC_RELAXED);
}
inline std::uint64_t fetch_add_shared(std::uint64_t* word, std::uint64_t value) {
  return __atomic_fetch_add(word, value, __ATOMIC_RELAXED);
}
inline bool exchange_shared(std::uint64_t* word, std::uint64_t& expected, std::uint64_t value) {
  return __atomic_compare_exchange_n(word, &expected, value, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED);
}

/// `alone`: the word is the block's and the block has no other thread; an atomic would be paid for
/// nothing.
inline void add_shared(std::uint64_t* word, std::uint32_t value, bool alone) {
  if (alone) {
    store_shared(word, load_shared(word) + value);
  } else {
    fetch_add_shared(word, value);
  }
}
inline void count_shared(std::uint64_t* word, bool alone) {
  add_shared(word, 1, alone);
}

#endif

}  // namespace ringside::stages
