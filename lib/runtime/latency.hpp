// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Where a traced stream's time went: each batch's way from the wire to its send completion, in
// steps.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "lib/device/trace.hpp"

namespace ringside {

/// The points between which the steps lie: TraceKind's from kArrived to kCompleted.
inline constexpr std::size_t kLatencyPoints = 7;
inline constexpr std::size_t kLatencySteps = kLatencyPoints - 1;
inline constexpr std::array<std::string_view, kLatencySteps> kLatencyStepNames = {
    "wire to seen",    "seen to processed", "processed to written",
    "written to rung", "rung to sent",      "sent to completed"};

/// A batch that was received, of which at least one packet was sent. Times are the host's.
struct BatchTimes {
  std::uint64_t first;  ///< number of its first packet
  std::uint32_t received, sent;
  std::array<std::uint64_t, kLatencyPoints> at_ns;

  std::int64_t step_ns(std::size_t step) const noexcept {
    return static_cast<std::int64_t>(at_ns[step + 1] - at_ns[step]);
  }
  std::int64_t whole_ns() const noexcept {
    return static_cast<std::int64_t>(at_ns[kLatencyPoints - 1] - at_ns[0]);
  }
};

using ToHostNs = std::function<std::uint64_t(std::uint64_t)>;
/// Of the clocks that events are by.
struct TraceClocks {
  ToHostNs receiving_nic, sending_nic, gpu;
};

/// Joins what both rings of a stream hold. Batches of which anything was lost, or that have not
/// completed, are left out, and those of no packet that was sent.
std::vector<BatchTimes> batches_of(std::span<const TraceEvent> served,
                                   std::span<const TraceEvent> tended, const TraceClocks& clocks);

/// Nanoseconds. Steps between two clocks can be negative, by as much as these were read wrong.
struct LatencyStats {
  std::int64_t min, p50, p90, p99, max;
  double mean;  ///< the steps' add up to the whole's
};

struct LatencyBreakdown {
  std::size_t batches = 0;
  std::array<LatencyStats, kLatencySteps> steps{};
  LatencyStats whole{};
};

LatencyBreakdown latency_of(std::span<const BatchTimes> batches);

}  // namespace ringside
