// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The 16-byte segments that send WQEs are made of, and their places in the ring. Each is one store,
// and made of words: copied from the format's packed structs, they would go by way of a GPU's local
// memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/device/tx_offload.hpp"
#include "lib/device/tx_part.hpp"
#include "lib/mlx5/format/queue.hpp"

namespace ringside {

inline constexpr std::uint32_t kSegmentsPerBlock = kWqeBasicBlock / kWqeSegment;

struct alignas(16) WqeSegment {
  std::uint32_t words[4];
};
static_assert(sizeof(WqeSegment) == kWqeSegment);

RS_HD constexpr std::uint32_t blocks_of_segments(std::uint32_t segments) {
  return (segments + kSegmentsPerBlock - 1) / kSegmentsPerBlock;
}

/// Of a queue's ring, counted from the first segment of the WQE at `index`; goes over its end.
RS_DEVICE WqeSegment* segment_at(const TxQueueHandle& queue, std::uint64_t index,
                                 std::uint32_t segment) {
  const std::uint32_t mask = (kSegmentsPerBlock << queue.log_depth) - 1;
  const std::uint32_t at = static_cast<std::uint32_t>(index) * kSegmentsPerBlock + segment;
  return reinterpret_cast<WqeSegment*>(queue.wqe) + std::size_t{at & mask};
}

struct WqeHead {
  WqeOpcode opcode;
  std::uint8_t opcode_modifier = 0;
  std::uint32_t segments;   ///< of the whole WQE
  std::uint8_t completion;  ///< kCeAlways, kCeOnError
};

RS_DEVICE WqeSegment control_segment(const TxQueueHandle& queue, std::uint64_t index,
                                     const WqeHead& head) {
  static_assert(offsetof(ControlSegment, fm_ce_se) == 11);
  const std::uint32_t first = opmod_idx_opcode(static_cast<std::uint32_t>(index), head.opcode) |
                              std::uint32_t{head.opcode_modifier} << 24;
  return {{Be32::of(first).raw, Be32::of(qpn_ds(queue.sqn, head.segments)).raw,
           std::uint32_t{head.completion} << 24, 0}};
}

/// `inline_header`: bytes that follow from the segment's last two on; not with VLAN insertion.
RS_DEVICE WqeSegment ethernet_segment(const TxOffload& offload, std::uint32_t inline_header = 0) {
  static_assert(offsetof(EthernetSegment, cs_flags) == 4);
  static_assert(offsetof(EthernetSegment, inline_header_size) == 12);
  const auto size = static_cast<std::uint16_t>(offload.insert_vlan ? kVlanInsert : inline_header);
  const std::uint16_t tci = offload.insert_vlan ? offload.vlan_tci : std::uint16_t{0};
  return {{0, offload.checksums, 0,
           Be16::of(size).raw | static_cast<std::uint32_t>(Be16::of(tci).raw) << 16}};
}

RS_DEVICE WqeSegment data_segment(const TxQueueHandle& queue, const TxPart& part) {
  static_assert(offsetof(DataSegment, lkey) == 4 && offsetof(DataSegment, address) == 8);
  return {{Be32::of(part.length).raw, Be32::of(part.lkey != 0 ? part.lkey : queue.lkey).raw,
           Be32::of(static_cast<std::uint32_t>(part.iova >> 32)).raw,
           Be32::of(static_cast<std::uint32_t>(part.iova)).raw}};
}

/// A NOP that fills `blocks` (1 to 15) basic blocks.
RS_DEVICE void write_nop(const TxQueueHandle& queue, std::uint64_t index, std::uint32_t blocks,
                         std::uint8_t completion) {
  *segment_at(queue, index, 0) = control_segment(queue, index,
                                                 {.opcode = WqeOpcode::kNop,
                                                  .segments = blocks * kSegmentsPerBlock,
                                                  .completion = completion});
}

/// Makes a WQE of `segments` fill `blocks` with the help of a NOP.
RS_DEVICE void fill_blocks(const TxQueueHandle& queue, std::uint64_t index, std::uint32_t segments,
                           std::uint32_t blocks) {
  const std::uint32_t used = blocks_of_segments(segments);
  if (used != blocks) write_nop(queue, index + used, blocks - used, kCeOnError);
}

}  // namespace ringside
