// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a NIC's time stamps and waits count, and nanoseconds. A queue's ts_format says which (PRM,
// SQ and RQ contexts): ticks of the device's free-running counter, at device_frequency_khz, or real
// time, seconds << 32 | nanoseconds. lib/mlx5/nic_time.hpp makes these for a device.
#pragma once

#include <cstdint>
#include <type_traits>

#include "lib/mlx5/format/target.hpp"

namespace ringside {

/// A factor: whole + fraction / 2^64.
struct TickRate {
  std::uint64_t fraction;
  std::uint32_t whole;

  /// Less than 1 too much, however great the count.
  RS_HD constexpr std::uint64_t operator()(std::uint64_t count) const {
    return count * whole + upper_half(count, fraction);
  }

 private:
  /// The upper 64 bits of a product, without 128-bit numbers.
  RS_HD static constexpr std::uint64_t upper_half(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t kLow = 0xffffffffU;
    const std::uint64_t middle = (a >> 32) * (b & kLow) + ((a & kLow) * (b & kLow) >> 32);
    const std::uint64_t cross = (a & kLow) * (b >> 32) + (middle & kLow);
    return (a >> 32) * (b >> 32) + (middle >> 32) + (cross >> 32);
  }
};

inline constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

/// A time stamp in nanoseconds: since the counter began, or of real time (the PTP epoch, or what it
/// was set to).
struct StampToNs {
  TickRate ns_per_tick;  ///< 0: the device does not tell its frequency, nor this the time
  bool real_time;

  RS_HD constexpr std::uint64_t operator()(std::uint64_t stamp) const {
    return real_time ? (stamp >> 32) * kNsPerSecond + (stamp & 0xffffffffU) : ns_per_tick(stamp);
  }
};
static_assert(std::is_trivially_copyable_v<StampToNs>);

/// The other way, for waits; within a tick.
struct NsToStamp {
  TickRate ticks_per_ns;
  bool real_time;

  RS_HD constexpr std::uint64_t operator()(std::uint64_t ns) const {
    return real_time ? ns / kNsPerSecond << 32 | ns % kNsPerSecond : ticks_per_ns(ns);
  }
};
static_assert(std::is_trivially_copyable_v<NsToStamp>);

}  // namespace ringside
