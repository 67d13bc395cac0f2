// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A thread alone, of a kernel or of the CPU. On a GPU, threads of one warp may each be one and wait
// for each other: they make progress one by one (CUDA guide, "Independent Thread Scheduling"; sm_70
// and later).
#pragma once

#include <cstdint>

#include "lib/device/scope.hpp"
#include "lib/device/target.hpp"

#if !defined(__CUDACC__)
#include "lib/base/clock.hpp"
#include "lib/device/impl/host_idle.hpp"
#endif

namespace ringside {

/// Calls as Scope has them (lib/device/scope.hpp); barriers of one thread are nothing.
class ThreadScope {
 public:
  RS_DEVICE std::uint32_t rank() const { return 0; }
  RS_DEVICE std::uint32_t size() const { return 1; }
  RS_DEVICE std::uint64_t now_ns() const {
#if defined(__CUDACC__)
    std::uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
#else
    return monotonic_ns();
#endif
  }
  /// A CPU thread pauses, yields and at last sleeps between two looks.
  template <class Ready>
  RS_DEVICE void poll_until(Ready ready) {
#if !defined(__CUDACC__)
    HostIdle wait;
#endif
    while (!ready()) {
#if !defined(__CUDACC__)
      wait.step();
#endif
    }
  }
  RS_DEVICE void sync() {}
  template <class T>
  RS_DEVICE T broadcast(const T& value) {
    return value;
  }
  template <class T>
  RS_DEVICE T min(T value) {
    return value;
  }
};
static_assert(Scope<ThreadScope>);

}  // namespace ringside
