// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What time stamps and waits count. The model itself counts nanoseconds (NicClock).
#pragma once

#include <cstdint>

namespace softcx {

inline constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

/// A device's clocks. Set before it is opened.
struct Clocks {
  std::uint32_t khz = 1'000'000;    ///< of the free-running counter
  bool real_time = false;           ///< it keeps real time, besides the counter
  std::uint64_t utc_offset_ns = 0;  ///< real time less NicClock's

  std::uint64_t ticks(std::uint64_t now_ns) const noexcept {
    return scaled(now_ns, khz, kNsPerMs, 0);
  }
  /// The first nanosecond of a tick.
  std::uint64_t tick_ns(std::uint64_t ticks) const noexcept {
    return scaled(ticks, kNsPerMs, khz, khz - 1);
  }

 private:
  static constexpr std::uint32_t kNsPerMs = 1'000'000;
  static std::uint64_t scaled(std::uint64_t count, std::uint32_t by, std::uint32_t per,
                              std::uint32_t round) noexcept {
    if (by == per) return count;
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((Wide{count} * by + round) / per);
  }
};

/// A queue's: ts_format of its context.
class StampFormat {
 public:
  StampFormat() = default;
  StampFormat(const Clocks& clocks, bool real_time) noexcept
      : clocks_(clocks), real_time_(real_time) {}

  bool real_time() const noexcept { return real_time_; }

  /// Of the time `now_ns` of NicClock.
  std::uint64_t stamp(std::uint64_t now_ns) const noexcept {
    if (!real_time_) return clocks_.ticks(now_ns);
    const std::uint64_t utc_ns = now_ns + clocks_.utc_offset_ns;
    return utc_ns / kNsPerSecond << 32 | utc_ns % kNsPerSecond;
  }
  /// When NicClock is there; 0: that was before its own beginning.
  std::uint64_t time_ns(std::uint64_t stamp) const noexcept {
    if (!real_time_) return clocks_.tick_ns(stamp);
    const std::uint64_t utc_ns = (stamp >> 32) * kNsPerSecond + (stamp & 0xffffffffU);
    return utc_ns > clocks_.utc_offset_ns ? utc_ns - clocks_.utc_offset_ns : 0;
  }

 private:
  Clocks clocks_;
  bool real_time_ = false;
};

}  // namespace softcx
