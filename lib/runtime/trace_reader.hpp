// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Reads a ring of lib/device/trace.hpp, while a kernel writes it or afterwards.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lib/device/trace.hpp"

namespace ringside {

/// No value: its words are of different laps.
std::optional<TraceEvent> unpack(const TraceRecord& record) noexcept;

class TraceReader {
 public:
  /// As the CPU sees the ring.
  explicit TraceReader(const TraceRing& ring) : ring_(ring) {}

  /// Appends what was noted since the last read, oldest first, however long ago that was. Looks at
  /// each record three times at most, so that it ends however fast the kernel is.
  void read(std::vector<TraceEvent>& to);
  /// Events that were written over before they were read.
  std::uint64_t lost() const noexcept { return lost_; }

 private:
  TraceRing ring_;
  std::uint64_t next_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace ringside
