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

RS_DEVICE void ring_doorbell(std::uint64_t* doorbell, std::uint64_t value) {
  // st.mmio is relaxed only; the fence gives it the order that the record needs.
  asm volatile("fence.acq_rel.sys;" ::: "memory");
  asm volatile("st.mmio.relaxed.sys.global.b64 [%0], %1;" ::"l"(__cvta_generic_to_global(doorbell)),
               "l"(value)
               : "memory");
}

}  // namespace ringside
