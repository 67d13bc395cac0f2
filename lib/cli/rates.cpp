// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/cli/rates.hpp"

namespace ringside::cli {
namespace {

constexpr double kNanosecondsPerSecond = 1e9;
constexpr double kBitsPerByte = 8;

}  // namespace

Rates RateMeter::measure(const PortStats& stats, std::uint64_t now_ns) {
  const std::uint64_t elapsed_ns = now_ns > last_ns_ ? now_ns - last_ns_ : 0;
  const auto per_second = [elapsed_ns](std::uint64_t now, std::uint64_t before, double unit) {
    if (elapsed_ns == 0 || now <= before) return std::uint64_t{0};
    return static_cast<std::uint64_t>(static_cast<double>(now - before) * unit *
                                      kNanosecondsPerSecond / static_cast<double>(elapsed_ns));
  };
  const Rates rates{per_second(stats.rx_packets, last_.rx_packets, 1),
                    per_second(stats.rx_bytes, last_.rx_bytes, kBitsPerByte),
                    per_second(stats.tx_packets, last_.tx_packets, 1),
                    per_second(stats.tx_bytes, last_.tx_bytes, kBitsPerByte)};
  last_ = stats;
  last_ns_ = now_ns;
  measured_ = true;
  return rates;
}

}  // namespace ringside::cli
