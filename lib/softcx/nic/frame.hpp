// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A frame on its way through the NIC: a list of byte ranges that are only borrowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace softcx {

struct Segment {
  const std::uint8_t* data;
  std::uint32_t length;
};

/// Valid until the call that got it returns. No FCS. `length` is the sum of the segments.
struct Frame {
  std::span<const Segment> segments;
  std::uint32_t length = 0;
  std::uint64_t left_ns = 0;  ///< NIC's time of its first bit on the line; 0: now
};

}  // namespace softcx
