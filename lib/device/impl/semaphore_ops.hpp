// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The accesses of semaphores to what both ends touch, by how far the ends are apart. A test puts
// others in their place, to run the same lines in every order there is
// (tests/unit/device_semaphore_interleavings_test.cpp).
#pragma once

#include <cstdint>

#include "lib/device/memory.hpp"
#include "lib/device/target.hpp"

namespace ringside {

enum class Reach {
  kDevice,  ///< both ends on one GPU, the ring in its memory
  kSystem,  ///< one of the ends is the CPU or another GPU, the ring where both reach
};

template <Reach kReach>
struct SemaphoreOps {
  template <class T>
  RS_DEVICE T load_acquire(const T* word) const {
    if constexpr (kReach == Reach::kDevice) {
      return load_acquire_device(word);
    } else {
      return load_acquire_system(word);
    }
  }
  template <class T>
  RS_DEVICE void store_release(T* word, T value) const {
    if constexpr (kReach == Reach::kDevice) {
      store_release_device(word, value);
    } else {
      store_release_system(word, value);
    }
  }
  template <class T>
  RS_DEVICE T load_relaxed(const T* word) const {
    return load_relaxed_system(word);
  }
  template <class T>
  RS_DEVICE void store_relaxed(T* word, T value) const {
    store_relaxed_system(word, value);
  }
  template <class Item>
  RS_DEVICE void write(Item* to, const Item& item) const {
    *to = item;
  }
};

}  // namespace ringside
