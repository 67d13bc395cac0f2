// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Packs bytes into WQE segments.
#pragma once

#include <cstdint>

#include "lib/device/impl/wqe_segment.hpp"

namespace ringside {

struct InlineBytes {
  const std::uint8_t* bytes;  ///< as the kernel sees them
  std::uint32_t length;

  /// Bytes from `at` on, and zeros behind the end: four of them as they lie in a word.
  RS_DEVICE std::uint32_t word(std::uint32_t at) const {
    std::uint32_t value = 0;
    for (std::uint32_t i = 0; i < 4; ++i) {
      if (at + i < length) value |= std::uint32_t{bytes[at + i]} << (8 * i);
    }
    return value;
  }
  RS_DEVICE WqeSegment segment(std::uint32_t at) const {
    return {{word(at), word(at + 4), word(at + 8), word(at + 12)}};
  }
};

/// Segments of an inline data segment of so many bytes, its count of four included.
RS_HD constexpr std::uint32_t inline_segments(std::uint32_t length) {
  constexpr std::uint32_t kCount = 4;
  return (kCount + length + kWqeSegment - 1) / kWqeSegment;
}

/// Writes an inline data segment from segment `first` of the WQE on.
RS_DEVICE void write_inline_data(const TxQueueHandle& queue, std::uint64_t index,
                                 std::uint32_t first, const InlineBytes& data) {
  constexpr std::uint32_t kInFirst = 12;
  *segment_at(queue, index, first) = {
      {Be32::of(kInlineData | data.length).raw, data.word(0), data.word(4), data.word(8)}};
  std::uint32_t segment = first + 1;
  for (std::uint32_t at = kInFirst; at < data.length; at += kWqeSegment) {
    *segment_at(queue, index, segment++) = data.segment(at);
  }
}

}  // namespace ringside
