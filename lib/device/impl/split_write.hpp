// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Writes the WQE of a packet in two parts. A part of no bytes has no segment: a byte count of 0
// means 2^31 (PRM).
#pragma once

#include <cstdint>

#include "lib/device/impl/tx_wqe.hpp"
#include "lib/device/split_packet.hpp"
#include "lib/mlx5/format/split_wqe.hpp"

namespace ringside {

RS_DEVICE SplitSendWqe* split_wqe_at(const TxQueueHandle& queue, std::uint64_t index) {
  return reinterpret_cast<SplitSendWqe*>(wqe_at(queue, index));
}

RS_DEVICE std::uint32_t split_segments(const SplitPacket& packet) {
  return packet.payload_length() > 0 ? kSplitSendWqeSegments : kSendWqeSegments;
}

#if defined(__CUDACC__)

/// A store a segment, made as words: see tx_write_cuda.hpp.
RS_DEVICE void write_split_wqe(const TxQueueHandle& queue, std::uint64_t index,
                               const SplitPacket& packet, std::uint8_t completion,
                               const TxOffload& offload = {}) {
  const auto data = [](std::uint32_t length, std::uint32_t lkey, std::uint64_t iova) {
    return uint4{Be32::of(length).raw, Be32::of(lkey).raw,
                 Be32::of(static_cast<std::uint32_t>(iova >> 32)).raw,
                 Be32::of(static_cast<std::uint32_t>(iova)).raw};
  };
  uint4 control = control_words(queue, static_cast<std::uint32_t>(index), completion);
  control.y = Be32::of(qpn_ds(queue.sqn, split_segments(packet))).raw;
  uint4* const segments = segments_at(queue, index);
  segments[0] = control;
  segments[1] = ethernet_words(offload);
  segments[2] = data(packet.header_length(), queue.header_lkey, packet.iova());
  segments[3] = packet.payload_length() > 0
                    ? data(packet.payload_length(), queue.lkey, packet.payload_iova())
                    : uint4{};
}

#else

inline void write_split_wqe(const TxQueueHandle& queue, std::uint64_t index,
                            const SplitPacket& packet, std::uint8_t completion,
                            const TxOffload& offload = {}) {
  SplitSendWqe* const wqe = split_wqe_at(queue, index);
  wqe->control = {Be32::of(opmod_idx_opcode(static_cast<std::uint32_t>(index), WqeOpcode::kSend)),
                  Be32::of(qpn_ds(queue.sqn, split_segments(packet))),
                  0,
                  {},
                  completion,
                  {}};
  *segment_at(queue, index, 1) = ethernet_segment(offload);
  wqe->header = {Be32::of(packet.header_length()), Be32::of(queue.header_lkey),
                 Be64::of(packet.iova())};
  wqe->payload = {};
  if (packet.payload_length() == 0) return;
  wqe->payload = {Be32::of(packet.payload_length()), Be32::of(queue.lkey),
                  Be64::of(packet.payload_iova())};
}

#endif

}  // namespace ringside
