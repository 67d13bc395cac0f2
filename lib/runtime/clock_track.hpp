// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What another clock's readings are in the host's time (monotonic_ns), over a run: the line between
// the two readings of both clocks that are nearest. Between readings a second apart a crystal that
// warms up is some nanoseconds off the line; over a whole run it would be microseconds.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/mlx5/clock_sample.hpp"

namespace ringside {

class ClockTrack {
 public:
  /// `reading`: from the host to the other clock, later than those before. One that comes too soon
  /// after the last is left out: its uncertainty would tilt the line.
  void add(const mlx5::ClockReading& reading);
  bool is_empty() const noexcept { return readings_.empty(); }
  /// Two readings at least are needed for host_ns().
  bool is_known() const noexcept { return readings_.size() >= 2; }
  std::uint64_t host_ns(std::uint64_t other) const;
  /// How far off a reading may have been, at most.
  std::uint64_t uncertainty_ns() const noexcept { return uncertainty_ns_; }
  void clear() { *this = {}; }

 private:
  static constexpr std::uint64_t kApartNs = 20'000'000;
  std::vector<mlx5::ClockReading> readings_;
  std::uint64_t uncertainty_ns_ = 0;
};

}  // namespace ringside
