// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Clocks and deadlines. All times are CLOCK_MONOTONIC nanoseconds.
#pragma once

#include <time.h>

#include <cstdint>

namespace ringside {

inline std::uint64_t monotonic_ns() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

class Deadline {
 public:
  static Deadline after_ms(std::uint64_t milliseconds) noexcept {
    return Deadline(monotonic_ns() + milliseconds * 1'000'000U);
  }
  bool passed() const noexcept { return monotonic_ns() >= at_ns_; }

 private:
  explicit Deadline(std::uint64_t at_ns) noexcept : at_ns_(at_ns) {}
  std::uint64_t at_ns_;
};

}  // namespace ringside
