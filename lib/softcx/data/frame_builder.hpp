// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Collects the byte ranges of one frame, and copies frames out.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "lib/mlx5/format/wqe.hpp"
#include "lib/softcx/nic/frame.hpp"

namespace softcx {

/// The length of a frame whose segments add up to `length`: one beyond 32 bits is oversize anyway.
constexpr std::uint32_t clamp_length(std::uint64_t length) noexcept {
  constexpr std::uint64_t kLimit = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(length, kLimit));
}

class FrameBuilder {
 public:
  /// A WQE of kMaxSegmentsPerWqe has a control, an Ethernet and at most 61 data segments; VLAN
  /// insertion adds two ranges.
  static constexpr std::size_t kMaxRanges = ringside::kMaxSegmentsPerWqe + 1;

  void clear() noexcept { count_ = length_ = 0; }
  void add(const std::uint8_t* data, std::uint32_t length) noexcept {
    ranges_[count_++] = {data, length};
    length_ += length;
  }
  /// Valid until the next change.
  Frame frame() const noexcept { return {{ranges_.data(), count_}, clamp_length(length_)}; }

 private:
  std::array<Segment, kMaxRanges> ranges_;
  std::size_t count_ = 0;
  std::uint64_t length_ = 0;
};

/// Copies at most `limit` bytes from the front of a frame; returns how many.
inline std::uint32_t copy_front(const Frame& frame, std::uint8_t* to,
                                std::uint32_t limit) noexcept {
  std::uint32_t copied = 0;
  for (const Segment& segment : frame.segments) {
    const std::uint32_t length = std::min(segment.length, limit - copied);
    std::memcpy(to + copied, segment.data, length);
    copied += length;
    if (copied == limit) break;
  }
  return copied;
}

}  // namespace softcx
