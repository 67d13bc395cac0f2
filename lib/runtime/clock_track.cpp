// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/clock_track.hpp"

#include <algorithm>

namespace ringside {

void ClockTrack::add(const mlx5::ClockReading& reading) {
  if (!readings_.empty() && reading.from - readings_.back().from < kApartNs) return;
  readings_.push_back(reading);
  uncertainty_ns_ = std::max(uncertainty_ns_, reading.uncertainty_ns);
}

std::uint64_t ClockTrack::host_ns(std::uint64_t other) const {
  // The first reading behind it, neither the first of all nor the end.
  auto after = std::ranges::upper_bound(readings_, other, {}, &mlx5::ClockReading::to);
  after = std::clamp(after, readings_.begin() + 1, readings_.end() - 1);
  const auto turned = [](const mlx5::ClockReading& reading) {
    return mlx5::ClockReading{reading.to, reading.from, reading.uncertainty_ns};
  };
  return mlx5::fit_clocks(turned(*(after - 1)), turned(*after))(other);
}

}  // namespace ringside
