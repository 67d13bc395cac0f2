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

inline constexpr std::array<std::string_view, kLatencyPoints> kLatencyPointNames = {
    "wire", "seen", "processed", "written", "rung", "sent", "completed"};

/// The points that batches of a program pass: all, where it forwards.
struct LatencySpan {
  std::size_t first = 0;
  std::size_t last = kLatencyPoints - 1;

  static constexpr LatencySpan of(bool receives, bool sends) {
    return {static_cast<std::size_t>(receives ? TraceKind::kArrived : TraceKind::kWritten),
            static_cast<std::size_t>(sends ? TraceKind::kCompleted : TraceKind::kProcessed)};
  }
  constexpr bool has_step(std::size_t step) const { return step >= first && step < last; }
};

/// A batch that has passed all points of a span. Times are the host's.
struct BatchTimes {
  std::uint64_t first;  ///< number of its first packet
  std::uint32_t received, sent;
  std::array<std::uint64_t, kLatencyPoints> at_ns;  ///< of the span

  std::int64_t step_ns(std::size_t step) const noexcept {
    return static_cast<std::int64_t>(at_ns[step + 1] - at_ns[step]);
  }
  std::int64_t whole_ns(const LatencySpan& span) const noexcept {
    return static_cast<std::int64_t>(at_ns[span.last] - at_ns[span.first]);
  }
};

using ToHostNs = std::function<std::uint64_t(std::uint64_t)>;
/// Of the clocks that events are by.
struct TraceClocks {
  ToHostNs receiving_nic, sending_nic, gpu;
};

/// Joins what both rings of a stream hold. Batches of which anything was lost, or that have not
/// come to the span's end, are left out.
std::vector<BatchTimes> batches_of(std::span<const TraceEvent> served,
                                   std::span<const TraceEvent> tended, const TraceClocks& clocks,
                                   const LatencySpan& span = {});

/// An error stopped a queue, or it went on after that.
struct QueueChange {
  bool of_sends;
  bool recovered;
  std::uint32_t count;  ///< the error's syndrome; or packets that were posted and are lost
  std::uint64_t at_ns;  ///< host's
};
std::vector<QueueChange> changes_of(std::span<const TraceEvent> served,
                                    std::span<const TraceEvent> tended, const TraceClocks& clocks);

/// Nanoseconds. Steps between two clocks can be negative, by as much as these were read wrong.
struct LatencyStats {
  std::int64_t min, p50, p90, p99, max;
  double mean;  ///< the steps' add up to the whole's
};

struct LatencyBreakdown {
  LatencySpan span;
  std::size_t batches = 0;
  std::array<LatencyStats, kLatencySteps> steps{};  ///< of the span
  LatencyStats whole{};
};

LatencyBreakdown latency_of(std::span<const BatchTimes> batches, const LatencySpan& span = {});

}  // namespace ringside
