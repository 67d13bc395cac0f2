// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A token bucket as the time at which it would be full again (the GCRA of ITU-T I.371): one word,
// which all threads of a pipeline share.
#pragma once

#include <cstdint>

#include "kernels/stages/atomic.hpp"

namespace ringside::stages {

/// Times are those of the blocks' common clock: 64 bits take nanoseconds since 1970 until 2043.
inline constexpr std::uint32_t kPoliceTicksPerNs = 8;

struct PoliceParameters {
  std::uint64_t ticks_per_packet;
  std::uint64_t ticks_per_byte;  ///< in 2^-20 ticks
  std::uint64_t burst_ticks;     ///< what a full bucket lasts
};

RS_DEVICE std::uint64_t police_cost(const PoliceParameters& parameters, std::uint32_t length) {
  return parameters.ticks_per_packet + (parameters.ticks_per_byte * length >> 20);
}

/// A word farther ahead of `now` than its burst and this was written under other parameters, before
/// they changed: batches of several blocks begin less than this apart.
inline constexpr std::uint64_t kPoliceSlackTicks = 100'000'000ULL * kPoliceTicksPerNs;

/// true: the packet is within the rate. `full_at`: the bucket's word, 0 at first.
RS_DEVICE bool run_police(std::uint64_t* full_at, std::uint64_t now, std::uint32_t length,
                          const PoliceParameters& parameters) {
  const std::uint64_t cost = police_cost(parameters, length);
  std::uint64_t seen = load_shared(full_at);
  for (;;) {
    // Ends: an exchange fails only when another thread's has succeeded, once a packet.
    if (seen > now && seen - now > parameters.burst_ticks + kPoliceSlackTicks) {
      // Else a rate that was raised would hold only once the former bucket had filled.
      exchange_shared(full_at, seen, now + parameters.burst_ticks);
      return false;
    }
    const std::uint64_t from = seen > now ? seen : now;
    if (from + cost - now > parameters.burst_ticks) return false;
    if (exchange_shared(full_at, seen, from + cost)) return true;
  }
}

}  // namespace ringside::stages
