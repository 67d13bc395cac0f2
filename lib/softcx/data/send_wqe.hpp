// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Reads send WQEs, strictly: whatever real hardware would refuse is a fault.
#pragma once

#include <cstdint>

#include "lib/mlx5/format/wqe.hpp"
#include "lib/softcx/data/completion_queue.hpp"
#include "lib/softcx/data/frame_builder.hpp"
#include "lib/softcx/data/shared_word.hpp"
#include "lib/softcx/nic/device.hpp"

namespace softcx {

/// The control segment, in host order.
struct WqeControl {
  std::uint8_t opmod, opcode, segments, completion;
  std::uint16_t index;
  std::uint32_t queue;

  explicit WqeControl(const std::uint8_t* wqe) noexcept {
    const std::uint32_t first = read_be32(wqe);
    const std::uint32_t second = read_be32(wqe + 4);
    opmod = static_cast<std::uint8_t>(first >> 24);
    index = static_cast<std::uint16_t>(first >> 8);
    opcode = static_cast<std::uint8_t>(first);
    queue = second >> 8;
    segments = static_cast<std::uint8_t>(second & ringside::kMaxSegmentsPerWqe);
    completion = wqe[11] & ringside::kCeMask;
  }
  /// Basic blocks in the ring; at least 1, so that a walk over bad WQEs ends.
  std::uint32_t blocks() const noexcept { return segments == 0 ? 1U : (segments + 3U) / 4U; }
};

/// Checks a control segment against its place: `index` in the queue, `available` posted blocks.
Fault check_control(const WqeControl& control, const Sq& sq, std::uint16_t index,
                    std::uint32_t available) noexcept;

/// The Ethernet segment's orders that change a frame.
struct FrameEdits {
  bool insert_vlan = false, ipv4_checksum = false, l4_checksum = false;
  std::uint16_t vlan_tci = 0;

  bool any() const noexcept { return insert_vlan || ipv4_checksum || l4_checksum; }
};

/// Walks over the segments of one SEND or enhanced multi-packet WQE that lies contiguously.
class SegmentReader {
 public:
  SegmentReader(const Device& device, const Sq& sq, const std::uint8_t* wqe,
                std::uint32_t segments) noexcept
      : device_(device), sq_(sq), wqe_(wqe), size_(segments * ringside::kWqeSegment) {}

  /// Reads the Ethernet segment; an inline header becomes the frame's first range.
  Fault ethernet(FrameEdits& edits, FrameBuilder& frame) noexcept;
  /// Appends the next data segment's bytes.
  Fault data(FrameBuilder& frame) noexcept;
  bool at_end() const noexcept { return offset_ >= size_; }

 private:
  Fault inline_data(std::uint32_t byte_count, FrameBuilder& frame) noexcept;

  const Device& device_;
  const Sq& sq_;
  const std::uint8_t* wqe_;
  std::uint32_t size_;
  std::uint32_t offset_ = sizeof(ringside::ControlSegment);
};

}  // namespace softcx
