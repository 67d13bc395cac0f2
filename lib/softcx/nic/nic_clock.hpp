// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The time of the software NIC, in nanoseconds, never adjusted. StampFormat makes time stamps of
// it.
#pragma once

#include <time.h>

#include <cstdint>

#include "lib/softcx/nic/stamp_format.hpp"

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

inline std::uint64_t utc_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * kNsPerSecond +
         static_cast<std::uint64_t>(now.tv_nsec);
}
/// UTC less NicClock's time, now: the machine's clock may be adjusted, NicClock is not.
inline std::uint64_t utc_offset_ns() noexcept {
  return utc_ns() - NicClock().now_ns();
}

}  // namespace softcx
