// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A port's line in the NIC's time: how long a frame takes, and when the next one can leave.
#pragma once

#include <algorithm>
#include <cstdint>

namespace softcx {

class Line {
 public:
  /// How far the NIC reads ahead of the line: what it holds of the next packets.
  static constexpr std::uint64_t kAheadNs = 5'000;

  /// `bits_per_s`: 0 is a line on which frames take no time.
  explicit Line(std::uint64_t bits_per_s) noexcept : bits_per_s_(bits_per_s) {}

  bool has_rate() const noexcept { return bits_per_s_ != 0; }
  /// When the first bit of a frame leaves that is ready at `ready_ns`; the line is busy after it
  /// for its length, without the FCS, and what Ethernet adds (IEEE 802.3: at least 64 bytes with
  /// the FCS, preamble and gap).
  std::uint64_t take(std::uint64_t ready_ns, std::uint32_t length) noexcept {
    if (!has_rate()) return ready_ns;
    if (ready_ns > free_ns_) {
      free_ns_ = ready_ns;
      fraction_ = 0;
    }
    const std::uint64_t left_ns = free_ns_;
    constexpr std::uint32_t kShortest = 60, kFcs = 4, kPreambleAndGap = 20;
    const std::uint64_t bits = 8ULL * (std::max(length, kShortest) + kFcs + kPreambleAndGap);
    fraction_ += bits * 1'000'000'000;
    free_ns_ += fraction_ / bits_per_s_;
    fraction_ %= bits_per_s_;
    return left_ns;
  }
  /// Until when nothing more is to be read, as the line has enough; in the past: it has not.
  std::uint64_t full_until_ns() const noexcept {
    return free_ns_ > kAheadNs ? free_ns_ - kAheadNs : 0;
  }

 private:
  const std::uint64_t bits_per_s_;
  std::uint64_t free_ns_ = 0;
  std::uint64_t fraction_ = 0;  ///< of free_ns_, in 1 / bits_per_s_
};

}  // namespace softcx
