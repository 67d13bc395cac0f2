// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Threads of a warp that make the same call at the same time, each for itself: one of them can do
// for all what would cost each of them a turn (CUDA guide, "Warp Vote Functions": __activemask).
// Which threads come together is chance, so nothing but speed may depend on it.
#pragma once

#include <cstdint>

#include "lib/device/target.hpp"

namespace ringside {

#if defined(__CUDACC__)

class ConvergedLanes {
 public:
  /// Those that are here with this thread. Each of them makes every call that follows: none may lie
  /// behind `&&`, `||` or `?:`, where lanes that do not come are waited for without end.
  RS_DEVICE ConvergedLanes() : mask_(__activemask()) {}

  RS_DEVICE std::uint32_t count() const { return static_cast<std::uint32_t>(__popc(mask_)); }
  RS_DEVICE std::uint32_t rank() const {
    const std::uint32_t below = (1U << (threadIdx.x & 31U)) - 1;
    return static_cast<std::uint32_t>(__popc(mask_ & below));
  }
  /// Is it this thread that acts for all?
  RS_DEVICE bool leads() const { return rank() == 0; }
  RS_DEVICE bool all(bool predicate) const { return __all_sync(mask_, predicate) != 0; }
  /// Of the thread that leads.
  RS_DEVICE std::uint64_t of_leader(std::uint64_t value) const {
    return __shfl_sync(mask_, value, __ffs(static_cast<int>(mask_)) - 1);
  }
  /// A barrier, after which what any of them wrote before is visible to all.
  RS_DEVICE void sync() const { __syncwarp(mask_); }

 private:
  const unsigned mask_;
};

#else

/// A CPU thread is always alone.
class ConvergedLanes {
 public:
  std::uint32_t count() const { return 1; }
  std::uint32_t rank() const { return 0; }
  bool leads() const { return true; }
  bool all(bool predicate) const { return predicate; }
  std::uint64_t of_leader(std::uint64_t value) const { return value; }
  void sync() const {}
};

#endif

}  // namespace ringside
