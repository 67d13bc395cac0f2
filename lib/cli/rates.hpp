// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Packet and bit rates between two looks at a port's counters.
#pragma once

#include <cstdint>

#include "lib/runtime/runtime.hpp"

namespace ringside::cli {

struct Rates {
  std::uint64_t rx_pps, rx_bps, tx_pps, tx_bps;
};

/// Of one port. Bits are those of the frames that the counters count.
class RateMeter {
 public:
  RateMeter() = default;
  RateMeter(const PortStats& stats, std::uint64_t now_ns) : last_(stats), last_ns_(now_ns) {}

  /// Since the last call, or since construction.
  Rates measure(const PortStats& stats, std::uint64_t now_ns);
  bool measured() const noexcept { return measured_; }

 private:
  PortStats last_{};
  std::uint64_t last_ns_ = 0;
  bool measured_ = false;
};

}  // namespace ringside::cli
