// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/memory.hpp on an NVIDIA GPU (PTX ISA, "Memory Consistency Model"; st.mmio needs
// CUDA 12.2 and sm_70).
#pragma once

#include <cstring>

#include "lib/device/memory.hpp"

namespace ringside {

template <class T>
RS_DEVICE T load_acquire_system(const T* address) {
  static_assert(sizeof(T) == 1 || sizeof(T) == 4 || sizeof(T) == 8);
  T value;
  if constexpr (sizeof(T) == 8) {
    std::uint64_t bits;
    asm volatile("ld.acquire.sys.b64 %0, [%1];" : "=l"(bits) : "l"(address) : "memory");
    memcpy(&value, &bits, sizeof(T));
  } else {
    std::uint32_t bits;
    if constexpr (sizeof(T) == 4) {
      asm volatile("ld.acquire.sys.b32 %0, [%1];" : "=r"(bits) : "l"(address) : "memory");
    } else {
      asm volatile("ld.acquire.sys.u8 %0, [%1];" : "=r"(bits) : "l"(address) : "memory");
    }
    memcpy(&value, &bits, sizeof(T));  // little-endian: the low bytes come first
  }
  return value;
}

/// 16 aligned bytes in one request; each 8 of them whole. An acquire, and not a relaxed load with a
/// fence after it, which on an H200 sees what the CPU wrote 0.7 us later.
RS_DEVICE void load_acquire_system_16(const void* address, std::uint32_t (&words)[4]) {
  std::uint64_t low;
  std::uint64_t high;
  asm volatile("ld.acquire.sys.v2.b64 {%0, %1}, [%2];"
               : "=l"(low), "=l"(high)
               : "l"(address)
               : "memory");
  memcpy(words, &low, sizeof(low));
  memcpy(words + 2, &high, sizeof(high));
}

template <class T>
RS_DEVICE T load_relaxed_system(const T* address) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  T value;
  if constexpr (sizeof(T) == 8) {
    std::uint64_t bits;
    asm volatile("ld.relaxed.sys.b64 %0, [%1];" : "=l"(bits) : "l"(address) : "memory");
    memcpy(&value, &bits, sizeof(T));
  } else {
    std::uint32_t bits;
    asm volatile("ld.relaxed.sys.b32 %0, [%1];" : "=r"(bits) : "l"(address) : "memory");
    memcpy(&value, &bits, sizeof(T));
  }
  return value;
}

template <class T>
RS_DEVICE void store_release_system(T* address, T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  if constexpr (sizeof(T) == 8) {
    std::uint64_t bits;
    memcpy(&bits, &value, sizeof(T));
    asm volatile("st.release.sys.b64 [%0], %1;" ::"l"(address), "l"(bits) : "memory");
  } else {
    std::uint32_t bits;
    memcpy(&bits, &value, sizeof(T));
    asm volatile("st.release.sys.b32 [%0], %1;" ::"l"(address), "r"(bits) : "memory");
  }
}

template <class T>
RS_DEVICE T store_then_load_system(T* to, T value, const T* from) {
  store_release_system(to, value);
  asm volatile("fence.sc.sys;" ::: "memory");
  return load_acquire_system(from);
}

template <class T>
RS_DEVICE void store_relaxed_system(T* address, T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  if constexpr (sizeof(T) == 8) {
    std::uint64_t bits;
    memcpy(&bits, &value, sizeof(T));
    asm volatile("st.relaxed.sys.b64 [%0], %1;" ::"l"(address), "l"(bits) : "memory");
  } else {
    std::uint32_t bits;
    memcpy(&bits, &value, sizeof(T));
    asm volatile("st.relaxed.sys.b32 [%0], %1;" ::"l"(address), "r"(bits) : "memory");
  }
}

// Where there are fences of one direction, they leave the L1 cache alone or spare a wait.
#if __CUDA_ARCH__ >= 900
#define RS_FENCE(direction, scope) asm volatile("fence." direction "." scope ";" ::: "memory")
#else
#define RS_FENCE(direction, scope) asm volatile("fence.acq_rel." scope ";" ::: "memory")
#endif

/// Makes acquires of the relaxed loads before it. (The host has none: ThreadSanitizer would not
/// follow it.)
RS_DEVICE void fence_acquire_system() {
  RS_FENCE("acquire", "sys");
}

template <class T>
RS_DEVICE T load_acquire_device(const T* address) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  T value;
  if constexpr (sizeof(T) == 8) {
    asm volatile("ld.acquire.gpu.b64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
  } else {
    asm volatile("ld.acquire.gpu.b32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  }
  return value;
}

template <class T>
RS_DEVICE void store_release_device(T* address, T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  if constexpr (sizeof(T) == 8) {
    asm volatile("st.release.gpu.b64 [%0], %1;" ::"l"(address), "l"(value) : "memory");
  } else {
    asm volatile("st.release.gpu.b32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
  }
}

template <class T>
RS_DEVICE T load_acquire_block(const T* address) {
  static_assert(sizeof(T) == 8);
  T value;
  asm volatile("ld.acquire.cta.b64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
  return value;
}

template <class T>
RS_DEVICE void store_release_block(T* address, T value) {
  static_assert(sizeof(T) == 8);
  asm volatile("st.release.cta.b64 [%0], %1;" ::"l"(address), "l"(value) : "memory");
}

// Order and scope are parts of the instruction's name, and asm takes that as a literal only.
#define RS_COMPARE_EXCHANGE(name, order, scope)                                        \
  template <class T>                                                                   \
  RS_DEVICE T name(T* address, T expected, T desired) {                                \
    static_assert(sizeof(T) == 8);                                                     \
    T found;                                                                           \
    asm volatile("atom." order "." scope ".global.cas.b64 %0, [%1], %2, %3;"           \
                 : "=l"(found)                                                         \
                 : "l"(__cvta_generic_to_global(address)), "l"(expected), "l"(desired) \
                 : "memory");                                                          \
    return found;                                                                      \
  }
RS_COMPARE_EXCHANGE(compare_exchange_relaxed_device, "relaxed", "gpu")
RS_COMPARE_EXCHANGE(compare_exchange_acquire_device, "acquire", "gpu")
RS_COMPARE_EXCHANGE(compare_exchange_acquire_block, "acquire", "cta")
#undef RS_COMPARE_EXCHANGE

RS_DEVICE void add_relaxed_block(std::uint64_t* address, std::uint64_t by) {
  asm volatile("red.relaxed.cta.add.u64 [%0], %1;" ::"l"(address), "l"(by) : "memory");
}

/// The store behind a fence: st.mmio itself is relaxed.
RS_DEVICE void store_mmio(std::uint64_t* doorbell, std::uint64_t value) {
  asm volatile("st.mmio.relaxed.sys.global.b64 [%0], %1;" ::"l"(__cvta_generic_to_global(doorbell)),
               "l"(value)
               : "memory");
}

/// Before a store of this thread that others than ring_doorbell() make.
RS_DEVICE void fence_release_system() {
  RS_FENCE("release", "sys");
}
RS_DEVICE void fence_release_device() {
  RS_FENCE("release", "gpu");
}

RS_DEVICE void ring_doorbell(std::uint64_t* doorbell, std::uint64_t value) {
  RS_FENCE("release", "sys");
  store_mmio(doorbell, value);
}

RS_DEVICE void ring_doorbell_device(std::uint64_t* doorbell, std::uint64_t value) {
  RS_FENCE("release", "gpu");
  store_mmio(doorbell, value);
}

#undef RS_FENCE

}  // namespace ringside
