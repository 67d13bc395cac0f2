// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Reads send WQEs, strictly: whatever real hardware would refuse is a fault.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lib/mlx5/format/wqe.hpp"
#include "lib/softcx/data/completion_queue.hpp"
#include "lib/softcx/data/frame_batch.hpp"
#include "lib/softcx/data/key_reader.hpp"
#include "lib/softcx/data/shared_word.hpp"
#include "lib/softcx/data/staged_reads.hpp"
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

inline const std::uint8_t* wqe_block(const Sq& sq, std::uint32_t index) noexcept {
  return sq.ring + std::size_t{index & ((1U << sq.log_depth) - 1)} * ringside::kWqeBasicBlock;
}

/// Room for a WQE of kMaxSegmentsPerWqe that goes over the end of its ring.
using WrappedWqe = std::array<std::uint8_t, std::size_t{16} * ringside::kWqeBasicBlock>;

/// The WQE at `index` in one piece: in the ring, or in `wrapped`.
const std::uint8_t* contiguous(const Sq& sq, std::uint16_t index, std::uint32_t blocks,
                               WrappedWqe& wrapped) noexcept;

/// Checks a control segment against its place: `index` in the queue, `available` posted blocks.
Fault check_control(const WqeControl& control, const Sq& sq, std::uint16_t index,
                    std::uint32_t available) noexcept;

/// The WQE that drivers write most: a SEND of one data segment, without an inline header, without
/// orders. Most of it is one comparison.
class PlainSend {
 public:
  /// False: this one has to be read segment by segment. `wqe` lies at `index` of queue `sqn`.
  bool read(const std::uint8_t* wqe, std::uint32_t sqn, std::uint16_t index) noexcept {
    const std::uint64_t head =
        std::uint64_t{ringside::opmod_idx_opcode(index, ringside::WqeOpcode::kSend)} << 32 |
        ringside::qpn_ds(sqn, ringside::kSendWqeSegments);
    std::uint64_t orders = 0;
    std::uint16_t inline_size = 0;
    std::memcpy(&orders, wqe + kEthernet, sizeof(orders));
    std::memcpy(&inline_size,
                wqe + kEthernet + offsetof(ringside::EthernetSegment, inline_header_size),
                sizeof(inline_size));
    byte_count = read_be32(wqe + kData);
    lkey = read_be32(wqe + kData + offsetof(ringside::DataSegment, lkey));
    address = read_be64(wqe + kData + offsetof(ringside::DataSegment, address));
    completion = wqe[kCompletion] & ringside::kCeMask;
    // Byte counts with the highest bit are inline data; 0 means 2^31.
    return (read_be64(wqe) ^ head) == 0 && (orders | inline_size) == 0 &&
           byte_count - 1 < ringside::kInlineData - 1;
  }

  std::uint32_t byte_count, lkey;
  std::uint64_t address;
  std::uint8_t completion;

 private:
  static constexpr std::size_t kEthernet = sizeof(ringside::ControlSegment);
  static constexpr std::size_t kData = kEthernet + sizeof(ringside::EthernetSegment);
  static constexpr std::size_t kCompletion = offsetof(ringside::ControlSegment, fm_ce_se);
};

/// Walks over the segments of one SEND or enhanced multi-packet WQE that lies contiguously.
class SegmentReader {
 public:
  /// `staged`: where bytes of device memory are; nullptr: they are left as the GPU's addresses.
  SegmentReader(KeyReader& keys, const Sq& sq, const std::uint8_t* wqe, std::uint32_t segments,
                StagedReads* staged) noexcept
      : keys_(keys), sq_(sq), wqe_(wqe), size_(segments * ringside::kWqeSegment), staged_(staged) {}

  /// Reads the Ethernet segment; an inline header becomes the frame's first range.
  Fault ethernet(FrameEdits& edits, FrameBatch& batch) noexcept;
  /// Adds the next data segment's bytes to the frame.
  Fault data(FrameBatch& batch) noexcept;
  /// Of the segment that data() has read; nowhere: it was inline.
  const Place& place() const noexcept { return place_; }
  std::uint32_t length() const noexcept { return length_; }
  /// Where the next segment lies.
  const std::uint8_t* next() const noexcept { return wqe_ + offset_; }
  bool at_end() const noexcept { return offset_ >= size_; }

 private:
  Fault inline_data(std::uint32_t byte_count, FrameBatch& batch) noexcept;

  KeyReader& keys_;
  const Sq& sq_;
  const std::uint8_t* wqe_;
  std::uint32_t size_;
  std::uint32_t offset_ = sizeof(ringside::ControlSegment);
  StagedReads* const staged_;
  Place place_;
  std::uint32_t length_ = 0;
};

}  // namespace softcx
