// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The rate of a send queue: when the next frame is due.
#pragma once

#include <cstdint>

#include "lib/device/stream.hpp"
#include "lib/device/target.hpp"

namespace ringside {

/// Each thread has one; that of the block's rank 0 is the one that is asked.
class Pace {
 public:
  RS_DEVICE explicit Pace(std::uint64_t now_ns) : due_ns_(now_ns) {}

  /// Has the rate made up for what was sent? It is not 0.
  RS_DEVICE bool is_due(std::uint64_t now_ns) const {
    return static_cast<std::int64_t>(now_ns - due_ns_) >= 0;
  }
  /// The next frame is due behind those that were sent. `ticks_a_byte`: StreamArgs::pace.
  RS_DEVICE void sent(std::uint64_t bytes, std::uint64_t ticks_a_byte, std::uint64_t now_ns) {
    const std::uint64_t earliest = now_ns - kMakesUpForNs;
    if (static_cast<std::int64_t>(earliest - due_ns_) > 0) due_ns_ = earliest;
    const std::uint64_t ticks = bytes * ticks_a_byte + due_part_;
    due_ns_ += ticks >> kPaceTickBits;
    due_part_ = static_cast<std::uint32_t>(ticks & ((1U << kPaceTickBits) - 1));
  }

 private:
  /// A queue that had nothing to send, or no time to, makes up for that much of it.
  static constexpr std::uint64_t kMakesUpForNs = 1'000'000;

  std::uint64_t due_ns_;
  std::uint32_t due_part_ = 0;  // 2^-16 ns
};

}  // namespace ringside
