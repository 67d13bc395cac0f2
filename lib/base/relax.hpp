// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Waiting on a CPU: pause first, then give the core away. Three spinners on two cores hand over a
// few hundred times a second without the yields, and some hundred thousand times with them.
#pragma once

#include <sched.h>

#include <cstdint>

namespace ringside {

inline void cpu_pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

/// One wait. Call `relax()` each time a poll finds nothing and `reset()` when it finds something.
class Relax {
 public:
  static constexpr std::uint32_t kPauses = 64;

  void relax() noexcept {
    if (++polls_ <= kPauses) {
      cpu_pause();
    } else {
      sched_yield();
    }
  }
  void reset() noexcept { polls_ = 0; }
  /// Polls that found nothing since the last reset.
  std::uint32_t polls() const noexcept { return polls_; }

 private:
  std::uint32_t polls_ = 0;
};

}  // namespace ringside
