// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Readings of two clocks at one time, and the map between them. A clock that takes time to read is
// read between two readings of the other; of several tries the quickest counts.
#pragma once

#include <cstdint>
#include <optional>

#include "lib/base/error.hpp"
#include "lib/mlx5/context.hpp"
#include "lib/mlx5/format/clock_map.hpp"
#include "lib/mlx5/format/nic_time.hpp"

namespace ringside::mlx5 {

struct ClockReading {
  std::uint64_t from, to;        ///< of the two clocks, at one time
  std::uint64_t uncertainty_ns;  ///< `from` may be so much too early or too late
};

/// read_from() is quick and in nanoseconds; read_to() may take its time, and may fail (an optional
/// without a value), which costs a try. Throws Error if all have failed.
template <class ReadFrom, class ReadTo>
ClockReading read_clocks(ReadFrom read_from, ReadTo read_to, int tries = 32) {
  std::optional<ClockReading> best;
  for (int i = 0; i < tries; ++i) {
    const std::uint64_t before = read_from();
    const std::optional<std::uint64_t> to = read_to();
    const std::uint64_t after = read_from();
    const std::uint64_t half = (after - before + 1) / 2;
    if (to && (!best || half < best->uncertainty_ns)) best = ClockReading{before + half, *to, half};
  }
  if (!best) throw Error("a clock could not be read", "is its kernel running, its device open?");
  return *best;
}

/// The line through two readings, the second one later: 10 ms apart for 1 us of error in 10 ms of
/// extrapolation at an uncertainty of 0.5 us, and so on. Throws Error for readings that are not.
ClockMap fit_clocks(const ClockReading& first, const ClockReading& second);

/// In nanoseconds, as of the queue that has that stamp_to_ns(). Throws Error where the device
/// does not tell it, as of its real time: that is the PTP clock of its netdev.
std::uint64_t read_nic_clock(const Context& context, const StampToNs& stamp_to_ns);

/// What a kernel that calls answer_clock() says. No value: no answer within a millisecond.
std::optional<std::uint64_t> ask_clock(ClockMailbox& mailbox) noexcept;

}  // namespace ringside::mlx5
