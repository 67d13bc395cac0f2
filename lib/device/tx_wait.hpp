// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Packets that leave at a time: the NIC holds the queue until its clock has reached it.
//
//   queue.send(block, count, [&](std::uint32_t i) {
//     return TxAt<TxPacket>{to_stamp(start_ns + i * gap_ns), {iova_of(i), length_of(i)}};
//   }, timeout_ns);
//
// A time is a stamp as the NIC counts them: `to_stamp`, of mlx5::TxQueue::ns_to_stamp(), makes it
// of nanoseconds of the NIC's clock, and a ClockMap those of the kernel's.
//
// A queue sends in order, so times must not go back: a packet whose time has passed leaves at once,
// and one that waits holds all behind it. A wait may be up to half of the cycle of
// TxQueueHandle::wait_mask ahead (4 s), and is over if it lies as far behind; a queue whose handle
// has no mask cannot wait. Post well ahead of the time: what is posted late leaves late, and the
// ring's slots are held until then.
#pragma once

#include <cstdint>

#include "lib/device/impl/tx_content.hpp"

namespace ringside {

/// Holds the queue until `nic_time`, a time stamp. One basic block.
RS_DEVICE void write_wait(const TxQueueHandle& queue, std::uint64_t index, std::uint64_t nic_time) {
  static_assert(offsetof(WaitSegment, value) == 16 && offsetof(WaitSegment, mask) == 24);
  *segment_at(queue, index, 0) = control_segment(queue, index,
                                                 {.opcode = WqeOpcode::kWait,
                                                  .opcode_modifier = kWaitOnTime,
                                                  .segments = kWaitWqeSegments,
                                                  .completion = kCeOnError});
  constexpr auto kCondition = static_cast<std::uint32_t>(WaitCondition::kCyclicSmaller);
  *segment_at(queue, index, 1) = {{Be32::of(kCondition).raw, 0, 0, 0}};
  const Be64 value = Be64::of(nic_time);
  const Be64 mask = Be64::of(queue.wait_mask);
  *segment_at(queue, index, 2) = {
      {static_cast<std::uint32_t>(value.raw), static_cast<std::uint32_t>(value.raw >> 32),
       static_cast<std::uint32_t>(mask.raw), static_cast<std::uint32_t>(mask.raw >> 32)}};
}

/// A packet of any kind that has a WQE of its own, and the time at which its first bit leaves.
template <class Packet>
struct TxAt {
  static_assert(!GroupedContent<Packet>, "packets that share a WQE share their time too");
  static constexpr std::uint32_t kWaitBlocks = 1;
  static constexpr std::uint32_t kBlocks = kWaitBlocks + content_blocks<Packet>();

  std::uint64_t nic_time;
  Packet packet;

  /// One thread writes it at `index`.
  RS_DEVICE void write(const TxQueueHandle& queue, std::uint64_t index,
                       std::uint8_t completion) const {
    write_wait(queue, index, nic_time);
    write_content(queue, index + kWaitBlocks, packet, completion);
  }
};

template <class Packet>
inline constexpr std::uint32_t kLastWqeBlocks<TxAt<Packet>> = kLastWqeBlocks<Packet>;

}  // namespace ringside
