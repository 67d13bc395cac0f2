// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A token bucket as the time at which it would be full again (the GCRA of ITU-T I.371): one word,
// in GPU memory that all threads of a pipeline share. A stage has one, one a receive queue, or a
// table of them, in which a flow has the bucket that its hash leads to.
#pragma once

#include <cstdint>

#include "kernels/stages/atomic.hpp"
#include "kernels/stages/flow_key.hpp"

namespace ringside::stages {

/// Times are those of the blocks' common clock. They wrap after 52 days, so they are compared by
/// their difference.
inline constexpr std::uint32_t kPoliceTicksPerNs = 4096;
inline constexpr std::uint32_t kPoliceByteShift = 11;  ///< ticks_per_byte is in 2^-11 ticks

enum class PolicePer : std::uint8_t { kPipeline, kQueue, kFlow };

struct PoliceParameters {
  std::uint64_t ticks_per_packet;
  std::uint64_t ticks_per_byte;
  std::uint64_t burst_ticks;  ///< what a full bucket lasts
  PolicePer per;
  std::uint32_t buckets;  ///< words of the stage
  FlowKey key;            ///< kFlow
};

/// Rounded up: a rate is kept, by up to a tick a packet too well. Of 64 bytes at 800 Gbit/s that is
/// 0.04 %.
RS_DEVICE std::uint64_t police_cost(const PoliceParameters& parameters, std::uint32_t length) {
  const std::uint64_t bytes = parameters.ticks_per_byte * length;
  const std::uint64_t round = (std::uint64_t{1} << kPoliceByteShift) - 1;
  return parameters.ticks_per_packet + ((bytes + round) >> kPoliceByteShift);
}

/// Batches of several blocks begin less than this apart.
inline constexpr std::uint64_t kPoliceSlackTicks = 100'000'000ULL * kPoliceTicksPerNs;

/// Which of the stage's `buckets`. `source`: of the block, in its pipeline. `key`: see key_hash().
template <class K>
RS_DEVICE std::uint32_t police_bucket(const PacketView& packet, std::uint32_t source, PolicePer per,
                                      const K& key, std::uint32_t buckets) {
  if (per == PolicePer::kPipeline) return 0;
  if (per == PolicePer::kQueue) return source;
  return hash_index(key_hash(packet, key), buckets);
}

/// true: the packet is within the rate. `full_at`: the bucket's word, any value at first.
RS_DEVICE bool run_police(std::uint64_t* full_at, std::uint64_t now, std::uint32_t length,
                          const PoliceParameters& parameters) {
  const std::uint64_t cost = police_cost(parameters, length);
  std::uint64_t seen = load_shared(full_at);
  for (;;) {
    // Ends: an exchange fails only when another thread's has succeeded, once a packet.
    std::uint64_t ahead = seen - now;
    // A bucket that was full in the past is full. Farther ahead than a burst is only a word from
    // before a reload raised the rate, and a raised rate is to hold at once.
    if (ahead > parameters.burst_ticks + kPoliceSlackTicks) ahead = 0;
    if (ahead + cost > parameters.burst_ticks) return false;
    if (exchange_shared(full_at, seen, now + ahead + cost)) return true;
  }
}

}  // namespace ringside::stages
