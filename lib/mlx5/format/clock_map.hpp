// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// One clock's readings by another's: GPU (Block::now_ns), host (monotonic_ns) and NIC (its
// time stamps in nanoseconds, nic_time.hpp). The host fits maps
// (lib/mlx5/clock_sample.hpp) and gives them to kernels by value.
#pragma once

#include <cstdint>
#include <type_traits>

#include "lib/mlx5/format/target.hpp"

namespace ringside {

/// A straight line. As exact as the readings that it was made of (ClockReading::uncertainty_ns),
/// and drifts from the clocks by what their rates change: fit anew every second or so.
struct ClockMap {
  std::uint64_t from;       ///< a reading of the clock that is mapped ...
  std::uint64_t to;         ///< ... and of the other one at the same time
  std::uint64_t rate_2_32;  ///< ticks of the other a tick of the first, times 2^32

  /// Readings before `from` too, up to 2^62 ticks away.
  RS_HD constexpr std::uint64_t operator()(std::uint64_t reading) const {
    const bool after = reading - from < std::uint64_t{1} << 63;
    const std::uint64_t distance = after ? reading - from : from - reading;
    const std::uint64_t scaled = (distance >> 32) * rate_2_32 + scale_low(distance & 0xffffffffU);
    return after ? to + scaled : to - scaled;
  }

 private:
  /// `low` * rate_2_32 / 2^32 for a `low` of 32 bits, without 128-bit products.
  RS_HD constexpr std::uint64_t scale_low(std::uint64_t low) const {
    return low * (rate_2_32 >> 32) + ((low * (rate_2_32 & 0xffffffffU)) >> 32);
  }
};
static_assert(std::is_trivially_copyable_v<ClockMap>);

/// By which a kernel tells the host its clock. Lies in memory that both reach; loads and stores
/// only. The host stores a new `request`; the kernel stores its time, then that number in `answer`.
struct ClockMailbox {
  std::uint64_t request;  ///< host -> kernel
  std::uint64_t answer;   ///< kernel -> host, released after now_ns
  std::uint64_t now_ns;   ///< kernel -> host
};

}  // namespace ringside
