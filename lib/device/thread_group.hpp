// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Who makes a call together: the least that a collective function needs. Every Block is a
// ThreadGroup (block scope), so is a warp (warp scope), and so is OneThread (thread scope).
#pragma once

#include <concepts>
#include <cstdint>

#include "lib/device/target.hpp"

#if !defined(__CUDACC__)
#include "lib/base/clock.hpp"
#include "lib/device/impl/host_idle.hpp"
#endif

namespace ringside {

/// The words mean what they mean in block.hpp.
template <class G>
concept ThreadGroup = requires(G group, std::uint32_t value, bool (*ready)()) {
  { group.rank() } -> std::same_as<std::uint32_t>;
  { group.size() } -> std::same_as<std::uint32_t>;
  { group.now_ns() } -> std::same_as<std::uint64_t>;
  group.poll_until(ready);
  group.sync();
  { group.broadcast(value) } -> std::same_as<std::uint32_t>;
  { group.min(value) } -> std::same_as<std::uint32_t>;
};

/// A thread by itself, of a kernel or of the CPU: nothing here synchronises.
class OneThread {
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
static_assert(ThreadGroup<OneThread>);

}  // namespace ringside
