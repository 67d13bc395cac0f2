// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// How a host block waits for packets: pauses, then yields, and sleeps once nothing has come for a
// while. Yields keep the latency of traffic low; sleeps leave an idle machine's cores alone.
#pragma once

#include <time.h>

#include <cstdint>

#include "lib/base/clock.hpp"
#include "lib/base/relax.hpp"

namespace ringside {

class HostIdle {
 public:
  void step() noexcept {
    relax_.relax();
    if (relax_.polls() <= Relax::kPauses) return;
    const std::uint64_t now = monotonic_ns();
    if (yielding_since_ns_ == 0) yielding_since_ns_ = now;
    if (now - yielding_since_ns_ < kYieldNs) return;
    const timespec nap{0, kSleepNs};
    nanosleep(&nap, nullptr);
  }

 private:
  static constexpr std::uint64_t kYieldNs = 1'000'000;
  static constexpr long kSleepNs = 50'000;

  Relax relax_;
  std::uint64_t yielding_since_ns_ = 0;
};

}  // namespace ringside
