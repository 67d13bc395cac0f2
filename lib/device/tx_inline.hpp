// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Packets that lie in their WQE, as a whole or in part: the NIC fetches them with the ring, without
// a second round trip, and the memory that they came from is free as soon as send() returns.
// Measure before use: the kernel copies them byte by byte.
#pragma once

#include <cstdint>

#include "lib/device/impl/inline_bytes.hpp"

namespace ringside {

/// A packet of up to kMost bytes: 28 take one basic block of the ring, then each 64 more another.
template <std::uint32_t kMost>
struct TxInline {
  static constexpr std::uint32_t kSegments = 2 + inline_segments(kMost);
  static_assert(kMost >= 1 && kSegments <= kMaxSegmentsPerWqe);
  static constexpr std::uint32_t kBlocks = blocks_of_segments(kSegments);

  const std::uint8_t* bytes;  ///< as the kernel sees them
  std::uint32_t length;       ///< 1 to kMost
  TxOffload offload = {};

  /// One thread writes it at `index`.
  RS_DEVICE void write(const TxQueueHandle& queue, std::uint64_t index,
                       std::uint8_t completion) const {
    const std::uint32_t segments = 2 + inline_segments(length);
    *segment_at(queue, index, 0) = control_segment(
        queue, index, {.opcode = WqeOpcode::kSend, .segments = segments, .completion = completion});
    *segment_at(queue, index, 1) = ethernet_segment(offload);
    write_inline_data(queue, index, 2, {bytes, length});
    fill_blocks(queue, index, segments, kBlocks);
  }
};

/// A packet whose first kHeader bytes lie in the WQE, as NICs with a minimum inline mode want them
/// (18 for layer 2), and the others in memory. 18 bytes take one basic block.
/// No VLAN insertion: the tag's place is among the bytes that lie here.
template <std::uint32_t kHeader = 18>
struct TxInlineHeader {
  static constexpr std::uint32_t kInFirst = 2;  // of the Ethernet segment
  static_assert(kHeader >= kInFirst && kHeader < 1024);
  static constexpr std::uint32_t kMore = (kHeader - kInFirst + kWqeSegment - 1) / kWqeSegment;
  static constexpr std::uint32_t kSegments = 2 + kMore + 1;
  static_assert(kSegments <= kMaxSegmentsPerWqe);
  static constexpr std::uint32_t kBlocks = blocks_of_segments(kSegments);

  const std::uint8_t* header;  ///< as the kernel sees it
  TxPart rest;
  std::uint8_t checksums = 0;

  /// One thread writes it at `index`.
  RS_DEVICE void write(const TxQueueHandle& queue, std::uint64_t index,
                       std::uint8_t completion) const {
    const InlineBytes bytes{header, kHeader};
    *segment_at(queue, index, 0) = control_segment(
        queue, index,
        {.opcode = WqeOpcode::kSend, .segments = kSegments, .completion = completion});
    WqeSegment ethernet = ethernet_segment({.checksums = checksums}, kHeader);
    ethernet.words[3] |= bytes.word(0) << 16;
    *segment_at(queue, index, 1) = ethernet;
    for (std::uint32_t i = 0; i < kMore; ++i) {
      *segment_at(queue, index, 2 + i) = bytes.segment(kInFirst + i * kWqeSegment);
    }
    *segment_at(queue, index, 2 + kMore) = data_segment(queue, rest);
  }
};

}  // namespace ringside
