// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/send_wqe.hpp"

#include <cstddef>

#include "lib/softcx/data/broken_wqe.hpp"
#include "lib/softcx/data/frame_limits.hpp"

namespace softcx {
namespace {

using ringside::CqeSyndrome;
using ringside::EthernetSegment;
using ringside::WqeOpcode;

constexpr std::uint16_t kInlineSizeMask = 0x3ff;
constexpr std::uint32_t kByteCountForNone = 0x80000000U;  // byte_count 0 means 2^31 (PRM)

constexpr Fault operation(Cause cause) {
  return {CqeSyndrome::kLocalQpOperation, cause};
}

constexpr std::uint32_t align_to_segment(std::uint32_t offset) {
  return (offset + ringside::kWqeSegment - 1) & ~(ringside::kWqeSegment - 1);
}

constexpr std::uint8_t fewest_segments(std::uint8_t opcode) {
  switch (static_cast<WqeOpcode>(opcode)) {
    case WqeOpcode::kSend:
      return 2;
    case WqeOpcode::kEnhancedMpw:
    case WqeOpcode::kWait:
      return 3;
    default:
      return 1;
  }
}

bool known(const WqeControl& control, const Sq& sq) {
  const bool waits = static_cast<WqeOpcode>(control.opcode) == WqeOpcode::kWait;
  if (control.opmod != (waits ? ringside::kWaitOnTime : 0)) return false;
  switch (static_cast<WqeOpcode>(control.opcode)) {
    case WqeOpcode::kNop:
    case WqeOpcode::kSend:
    case WqeOpcode::kWait:
      return true;
    case WqeOpcode::kEnhancedMpw:
      return sq.multi_packet_wqe;
    default:
      return false;
  }
}

}  // namespace

Fault check_control(const WqeControl& control, const Sq& sq, std::uint16_t index,
                    std::uint32_t available) noexcept {
  if (!known(control, sq)) return operation(Cause::kOpcode);
  if (control.queue != sq.sqn) return operation(Cause::kQueueNumber);
  if (control.index != index) return operation(Cause::kWqeIndex);
  if (control.segments < fewest_segments(control.opcode) || control.blocks() > available) {
    return operation(Cause::kSegmentCount);
  }
  return {};
}

const std::uint8_t* contiguous(const Sq& sq, std::uint16_t index, std::uint32_t blocks,
                               WrappedWqe& wrapped) noexcept {
  const std::uint32_t depth = 1U << sq.log_depth;
  const std::uint32_t until_end = depth - (index & (depth - 1));
  if (blocks <= until_end) return wqe_block(sq, index);
  const std::size_t head = std::size_t{until_end} * ringside::kWqeBasicBlock;
  std::memcpy(wrapped.data(), wqe_block(sq, index), head);
  std::memcpy(wrapped.data() + head, sq.ring,
              std::size_t{blocks} * ringside::kWqeBasicBlock - head);
  return wrapped.data();
}

Fault SegmentReader::ethernet(FrameEdits& edits, FrameBatch& batch) noexcept {
  EthernetSegment segment;
  std::memcpy(&segment, wqe_ + offset_, sizeof(segment));
  edits.checksums = segment.cs_flags;
  const bool reserved = (segment.cs_flags & ~ringside::kCsAll) != 0;
  const bool software_parser = segment.reserved0.raw != 0 || segment.reserved1 != 0;
  if (reserved || software_parser || segment.mss.raw != 0) return operation(Cause::kOffload);
  const std::uint16_t size = segment.inline_header_size.value();
  if ((size & ringside::kVlanInsert) != 0) {
    if (size != ringside::kVlanInsert) return operation(Cause::kInlineHeader);
    edits.insert_vlan = true;
    edits.vlan_tci = static_cast<std::uint16_t>(segment.inline_header_start[0] << 8 |
                                                segment.inline_header_start[1]);
    offset_ += sizeof(EthernetSegment);
    return {};
  }
  const std::uint32_t start = offset_ + offsetof(EthernetSegment, inline_header_start);
  const bool too_short = sq_.min_inline_mode != 0 && size < kEthernetHeader;
  if ((size & ~kInlineSizeMask) != 0 || start + size > size_ || too_short) {
    return operation(Cause::kInlineHeader);
  }
  if (size != 0) batch.add_range(wqe_ + start, size);
  offset_ = align_to_segment(start + size);
  return {};
}

Fault SegmentReader::data(FrameBatch& batch) noexcept {
  const std::uint8_t* segment = wqe_ + offset_;
  std::uint32_t byte_count = read_be32(segment);
  if ((byte_count & ringside::kInlineData) != 0) return inline_data(byte_count, batch);
  if (byte_count == 0) byte_count = kByteCountForNone;
  const std::uint32_t lkey = read_be32(segment + 4);
  const std::uint64_t address = read_be64(segment + 8);
  place_ = keys_.translate(lkey, address, byte_count);
  if (place_.bytes == nullptr) {
    // Not by a look ahead: what it finds is executed later.
    if (staged_ != nullptr) report_key(sq_, keys_, {lkey, address, byte_count});
    return {CqeSyndrome::kLocalProtection, Cause::kMemoryKey};
  }
  length_ = byte_count;
  const std::uint8_t* bytes = place_.bytes;
  if (place_.on_gpu() && staged_ != nullptr && !staged_->take(place_, byte_count, bytes)) {
    return staged_->fault(place_);
  }
  batch.add_range(bytes, byte_count);
  offset_ += ringside::kWqeSegment;
  return {};
}

Fault SegmentReader::inline_data(std::uint32_t byte_count, FrameBatch& batch) noexcept {
  const std::uint32_t length = byte_count & ~ringside::kInlineData;
  const std::uint32_t start = offset_ + static_cast<std::uint32_t>(sizeof(std::uint32_t));
  if (length == 0 || length > size_ - start) return operation(Cause::kInlineData);
  batch.add_range(wqe_ + start, length);
  place_ = {};
  length_ = length;
  offset_ = align_to_segment(start + length);
  return {};
}

}  // namespace softcx
