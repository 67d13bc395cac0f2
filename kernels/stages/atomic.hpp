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
RS_DEVICE std::uint64_t fetch_add_shared(std::uint64_t* word, std::uint64_t value) {
  return atomicAdd(reinterpret_cast<unsigned long long*>(word), value);
}
/// false: it held something else, which is now in `expected`.
RS_DEVICE bool exchange_shared(std::uint64_t* word, std::uint64_t& expected, std::uint64_t value) {
  const std::uint64_t found =
      atomicCAS(reinterpret_cast<unsigned long long*>(word), expected, value);
  const bool exchanged = found == expected;
  expected = found;
  return exchanged;
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

#endif

/// `alone`: the word is the block's and the block has no other thread; an atomic would be paid for
/// nothing.
RS_DEVICE void add_shared(std::uint64_t* word, std::uint64_t value, bool alone) {
  if (alone) {
    store_shared(word, load_shared(word) + value);
  } else {
    fetch_add_shared(word, value);
  }
}

}  // namespace ringside::stages
