// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Several packets in one WQE (enhanced multi-packet send): a packet costs the NIC 16 bytes of the
// ring in place of 64, and half as many stores or fewer. All of a WQE share one Ethernet segment,
// so what is offloaded is part of the type. The queue must allow it (TxQueueHandle::multi_packet).
//
// Each thread still describes one packet and writes that one's segments.
#pragma once

#include <cstdint>

#include "lib/device/impl/inline_bytes.hpp"

namespace ringside {

/// The title of a WQE of several packets. One thread writes it.
RS_DEVICE void write_group_head(const TxQueueHandle& queue, std::uint64_t index,
                                std::uint32_t segments, std::uint8_t checksums,
                                std::uint8_t completion) {
  *segment_at(queue, index, 0) = control_segment(
      queue, index,
      {.opcode = WqeOpcode::kEnhancedMpw, .segments = segments, .completion = completion});
  *segment_at(queue, index, 1) = ethernet_segment({.checksums = checksums});
}

/// A packet in one part that shares its WQE with up to 29 neighbours. kChecksums: TxOffload's.
template <std::uint8_t kChecksums = 0>
struct TxGrouped {
  static constexpr std::uint32_t kPackets = 30;  ///< of a WQE
  static constexpr std::uint32_t kBlocks = blocks_of_segments(2 + kPackets);

  TxPart part;

  /// Writes packet `i` of `count`, the first of which begins the WQE at `first`; `completion` is
  /// that of its WQE.
  template <class PacketOf>
  RS_DEVICE static void write(const TxQueueHandle& queue, std::uint64_t first, std::uint32_t i,
                              std::uint32_t count, PacketOf packet_of, std::uint8_t completion) {
    const std::uint32_t at = i % kPackets;
    const std::uint64_t index = first + std::uint64_t{i / kPackets} * kBlocks;
    *segment_at(queue, index, 2 + at) = data_segment(queue, packet_of(i).part);
    if (at != 0) return;
    const std::uint32_t segments = 2 + (count - i < kPackets ? count - i : kPackets);
    write_group_head(queue, index, segments, kChecksums, completion);
    fill_blocks(queue, index, segments, kBlocks);
  }
};

/// The same with the packets' bytes, up to kMost each, in the WQE; up to 61 / ((kMost + 19) / 16)
/// share one. packet_of is asked for a packet several times, for its length.
template <std::uint32_t kMost, std::uint8_t kChecksums = 0>
struct TxGroupedInline {
  static constexpr std::uint32_t kPackets = (kMaxSegmentsPerWqe - 2) / inline_segments(kMost);
  static_assert(kMost >= 1 && kPackets >= 2);
  static constexpr std::uint32_t kBlocks =
      blocks_of_segments(2 + kPackets * inline_segments(kMost));

  const std::uint8_t* bytes;  ///< as the kernel sees them
  std::uint32_t length;       ///< 1 to kMost

  /// As TxGrouped::write().
  template <class PacketOf>
  RS_DEVICE static void write(const TxQueueHandle& queue, std::uint64_t first, std::uint32_t i,
                              std::uint32_t count, PacketOf packet_of, std::uint8_t completion) {
    const std::uint32_t at = i % kPackets;
    const std::uint64_t index = first + std::uint64_t{i / kPackets} * kBlocks;
    const auto segments_before = [&](std::uint32_t end) {
      std::uint32_t segments = 2;
      for (std::uint32_t j = i - at; j < end; ++j) {
        segments += inline_segments(packet_of(j).length);
      }
      return segments;
    };
    const TxGroupedInline packet = packet_of(i);
    write_inline_data(queue, index, segments_before(i), {packet.bytes, packet.length});
    if (at != 0) return;
    const std::uint32_t segments =
        segments_before(i + (count - i < kPackets ? count - i : kPackets));
    write_group_head(queue, index, segments, kChecksums, completion);
    fill_blocks(queue, index, segments, kBlocks);
  }
};

}  // namespace ringside
