// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A packet of several ranges of memory, sent as one.
//
//   queue.send(block, count, [&](std::uint32_t i) {
//     TxGather<2> packet{.offload = {.checksums = kCsL3 | kCsL4}};
//     packet.add({header_iova(i), 54}).add({payload_iova(i), payload_length(i)});
//     return packet;
//   }, timeout_ns);
#pragma once

#include <cstdint>

#include "lib/device/impl/wqe_segment.hpp"

namespace ringside {

/// Up to kMost parts, at least one. Up to two take one basic block of the ring, then each four more
/// another one, whether or not they are used.
template <std::uint32_t kMost>
struct TxGather {
  static_assert(kMost >= 1 && kMost <= kMaxSegmentsPerWqe - 2);
  static constexpr std::uint32_t kBlocks = blocks_of_segments(2 + kMost);

  TxOffload offload = {};
  std::uint32_t count = 0;
  TxPart parts[kMost] = {};

  /// kMost at most, which it does not check. One thread.
  RS_DEVICE TxGather& add(const TxPart& part) {
    parts[count++] = part;
    return *this;
  }

  /// One thread writes it at `index`.
  RS_DEVICE void write(const TxQueueHandle& queue, std::uint64_t index,
                       std::uint8_t completion) const {
    const std::uint32_t segments = 2 + count;
    *segment_at(queue, index, 0) = control_segment(
        queue, index, {.opcode = WqeOpcode::kSend, .segments = segments, .completion = completion});
    *segment_at(queue, index, 1) = ethernet_segment(offload);
    for (std::uint32_t i = 0; i < count; ++i) {
      *segment_at(queue, index, 2 + i) = data_segment(queue, parts[i]);
    }
    fill_blocks(queue, index, segments, kBlocks);
  }
};

}  // namespace ringside
