// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/memory.hpp on CPU threads. Compiler builtins rather than fences, so that
// ThreadSanitizer follows them.
#pragma once

#include <cstring>

#include "lib/device/memory.hpp"

namespace ringside {

template <class T>
inline T load_acquire_system(const T* address) {
  T value;
  __atomic_load(address, &value, __ATOMIC_ACQUIRE);
  return value;
}

template <class T>
inline T load_relaxed_system(const T* address) {
  T value;
  __atomic_load(address, &value, __ATOMIC_RELAXED);
  return value;
}

template <class T>
inline void store_release_system(T* address, T value) {
  __atomic_store(address, &value, __ATOMIC_RELEASE);
}

template <class T>
inline void store_relaxed_system(T* address, T value) {
  __atomic_store(address, &value, __ATOMIC_RELAXED);
}

template <class T>
inline T load_acquire_device(const T* address) {
  return load_acquire_system(address);
}

template <class T>
inline T store_then_load_system(T* to, T value, const T* from) {
  T loaded;
  __atomic_store(to, &value, __ATOMIC_SEQ_CST);
  __atomic_load(from, &loaded, __ATOMIC_SEQ_CST);
  return loaded;
}

template <class T>
inline void store_release_device(T* address, T value) {
  store_release_system(address, value);
}

template <class T>
inline T compare_exchange_relaxed_device(T* address, T expected, T desired) {
  __atomic_compare_exchange(address, &expected, &desired, /*weak=*/false, __ATOMIC_RELAXED,
                            __ATOMIC_RELAXED);
  return expected;
}

template <class T>
inline T compare_exchange_acquire_device(T* address, T expected, T desired) {
  __atomic_compare_exchange(address, &expected, &desired, /*weak=*/false, __ATOMIC_ACQUIRE,
                            __ATOMIC_ACQUIRE);
  return expected;
}

template <class T>
inline T load_acquire_block(const T* address) {
  return load_acquire_system(address);
}

template <class T>
inline void store_release_block(T* address, T value) {
  store_release_system(address, value);
}

template <class T>
inline T compare_exchange_acquire_block(T* address, T expected, T desired) {
  return compare_exchange_acquire_device(address, expected, desired);
}

inline void add_relaxed_block(std::uint64_t* address, std::uint64_t by) {
  __atomic_fetch_add(address, by, __ATOMIC_RELAXED);
}

inline void ring_doorbell(std::uint64_t* doorbell, std::uint64_t value) {
  // A UAR may be mapped write-combining, which a release store does not order: the first barrier
  // keeps the doorbell behind the record, the second pushes it out of the write-combining buffer.
#if defined(__x86_64__)
  __builtin_ia32_sfence();
  __atomic_store_n(doorbell, value, __ATOMIC_RELEASE);
  __builtin_ia32_sfence();
#elif defined(__aarch64__)
  asm volatile("dsb st" ::: "memory");
  __atomic_store_n(doorbell, value, __ATOMIC_RELEASE);
  asm volatile("dsb st" ::: "memory");
#else
#error "ring_doorbell is not defined for this CPU"
#endif
}

/// The 64 bytes of a WQE into a BlueFlame buffer, its doorbell word last.
inline void store_blue_flame(std::uint64_t* buffer, const std::uint64_t* wqe) {
  constexpr std::uint32_t kWords = 8;
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#elif defined(__aarch64__)
  asm volatile("dsb st" ::: "memory");
#endif
  for (std::uint32_t i = 1; i < kWords; ++i) {
    __atomic_store_n(buffer + i, wqe[i], __ATOMIC_RELAXED);
  }
  ring_doorbell(buffer, wqe[0]);
}

inline void ring_doorbell_device(std::uint64_t* doorbell, std::uint64_t value) {
  ring_doorbell(doorbell, value);
}

}  // namespace ringside
