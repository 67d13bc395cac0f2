// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The barrier of HostBlock: looks for a short while, then sleeps in the kernel.
#pragma once

#include <atomic>
#include <cstdint>

#include "lib/base/relax.hpp"

namespace ringside {

class HostBarrier {
 public:
  explicit HostBarrier(std::uint32_t threads) noexcept : threads_(threads) {}

  void arrive_and_wait() noexcept {
    // Cannot change before this thread has arrived.
    const std::uint32_t generation = generation_.load(std::memory_order_relaxed);
    // acq_rel: the last to arrive has seen what all others wrote, and hands it on below.
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      arrived_.store(0, std::memory_order_relaxed);
      generation_.store(generation + 1, std::memory_order_release);
      generation_.notify_all();
      return;
    }
    Relax relax;
    while (generation_.load(std::memory_order_acquire) == generation) {
      if (relax.polls() < kPollsBeforeSleep) {
        relax.relax();
      } else {
        generation_.wait(generation, std::memory_order_acquire);
      }
    }
  }

 private:
  /// The pauses and a few yields: on a free core the others arrive within them.
  static constexpr std::uint32_t kPollsBeforeSleep = Relax::kPauses + 8;

  const std::uint32_t threads_;
  alignas(64) std::atomic<std::uint32_t> arrived_{0};
  alignas(64) std::atomic<std::uint32_t> generation_{0};
};

}  // namespace ringside
