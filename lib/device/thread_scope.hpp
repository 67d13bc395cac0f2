// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A thread alone. On a GPU, threads of one warp may each be one and wait for each other: they make
// progress one by one (CUDA guide, "Independent Thread Scheduling"; sm_70 and later).
#pragma once

#include <cstdint>

#include "lib/device/scope.hpp"
#include "lib/device/target.hpp"

#if defined(__CUDACC__)
#include "lib/device/impl/cuda_warp.hpp"
#else
#include "lib/base/clock.hpp"
#include "lib/device/impl/host_idle.hpp"
#endif

namespace ringside {

class ThreadScope {
 public:
  RS_DEVICE std::uint32_t rank() const { return 0; }
  RS_DEVICE std::uint32_t size() const { return 1; }
  RS_DEVICE void sync() const {}
  template <class T>
  RS_DEVICE T broadcast(const T& value) const {
    return value;
  }

#if defined(__CUDACC__)
  RS_DEVICE std::uint64_t now_ns() const {
    return CudaThread{}.now_ns();
  }
  template <class Ready>
  RS_DEVICE void poll_until(Ready ready) const {
    CudaThread{}.poll_until(ready);
  }
#else
  std::uint64_t now_ns() const noexcept {
    return monotonic_ns();
  }
  template <class Ready>
  void poll_until(Ready ready) const noexcept {
    HostIdle wait;
    while (!ready()) wait.step();
  }
#endif
};
static_assert(Scope<ThreadScope>);

}  // namespace ringside
