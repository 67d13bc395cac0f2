// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The free-running clock of the NIC's time stamps: 1 GHz, never adjusted.
#pragma once

#include <time.h>

#include <cstdint>

namespace softcx {

class NicClock {
 public:
  NicClock() noexcept { tick(); }
  /// Read once a burst; all packets of the burst get the same time.
  void tick() noexcept {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    now_ns_ = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
              static_cast<std::uint64_t>(now.tv_nsec);
  }
  std::uint64_t now_ns() const noexcept { return now_ns_; }

 private:
  std::uint64_t now_ns_ = 0;
};

}  // namespace softcx
