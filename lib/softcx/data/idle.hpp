// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// How the engine thread waits for work: it spins, then yields, then sleeps for growing times. An
// idle engine costs little CPU time, and a doorbell is seen after a millisecond at the latest.
#pragma once

#include <poll.h>

#include <cstdint>
#include <span>

#include "lib/softcx/data/quiescence.hpp"

namespace softcx {

class Idle {
 public:
  static constexpr std::uint64_t kSpinNs = 50'000;
  static constexpr std::uint64_t kYieldNs = 1'000'000;
  static constexpr std::uint64_t kFirstSleepNs = 50'000;
  static constexpr std::uint64_t kLongestSleepNs = 1'000'000;

  explicit Idle(Quiescence& quiescence) : quiescence_(quiescence) {}

  void busy() noexcept { since_ns_ = 0; }
  /// A round found nothing to do. The caller holds no pointer to an object while this runs.
  /// `wait_set`: what ends a sleep early, the event of `quiescence` among it. True: it took a few
  /// nanoseconds, so that `now_ns` still holds. A sleep ends well before `due_ns`.
  bool wait(std::uint64_t now_ns, std::span<pollfd> wait_set, std::uint64_t due_ns) noexcept;

 private:
  void sleep(std::span<pollfd> wait_set, std::uint64_t longest_ns) noexcept;

  Quiescence& quiescence_;
  std::uint64_t since_ns_ = 0;  ///< of the first round without work; 0: busy
  std::uint64_t sleep_ns_ = kFirstSleepNs;
};

}  // namespace softcx
