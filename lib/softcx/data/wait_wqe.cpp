// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/wait_wqe.hpp"

#include <algorithm>

namespace softcx {

WaitTime read_wait(const std::uint8_t* wqe, const StampFormat& stamps,
                   std::uint64_t now_ns) noexcept {
  ringside::WaitSegment segment;
  std::memcpy(&segment, wqe + sizeof(ringside::ControlSegment), sizeof(segment));
  const std::uint64_t mask = segment.mask.value();
  const bool whole = mask != 0 && (mask & (mask + 1)) == 0;  // ones from bit 0 on
  const bool known = segment.operation.value() ==
                     static_cast<std::uint32_t>(ringside::WaitCondition::kCyclicSmaller);
  if (!known || !whole || segment.lkey.raw != 0 || segment.address.raw != 0) {
    return {{ringside::CqeSyndrome::kLocalQpOperation, Cause::kWait}};
  }
  // Half of the cycle lies behind the clock, half before it.
  const std::uint64_t now = stamps.stamp(now_ns);
  const std::uint64_t ahead = (segment.value.value() - now) & mask;
  const std::uint64_t behind = (now - segment.value.value()) & mask;
  if (ahead != 0 && ahead <= mask >> 1) return {{}, stamps.time_ns(now + ahead)};
  return {{}, std::min(stamps.time_ns(now - behind), now_ns)};
}

}  // namespace softcx
