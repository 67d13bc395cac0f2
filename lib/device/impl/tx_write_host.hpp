// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Writes WQEs on CPU threads.
#pragma once

#include <cstdint>

#include "lib/device/impl/tx_wqe.hpp"
#include "lib/device/impl/wqe_segment.hpp"
#include "lib/device/scope.hpp"
#include "lib/device/tx_send.hpp"

namespace ringside {

/// Writes the three segments of a WQE. What is behind them in its basic block, nobody reads.
inline void write_wqe(const TxQueueHandle& queue, std::uint64_t index, const TxPacket& packet,
                      std::uint8_t completion, const TxOffload& offload = {}) {
  SendWqe* const wqe = wqe_at(queue, index);
  wqe->control = {Be32::of(opmod_idx_opcode(static_cast<std::uint32_t>(index), WqeOpcode::kSend)),
                  Be32::of(qpn_ds(queue.sqn, kSendWqeSegments)),
                  0,
                  {},
                  completion,
                  {}};
  *segment_at(queue, index, 1) = ethernet_segment(offload);
  wqe->data = {Be32::of(packet.length), Be32::of(queue.lkey), Be64::of(packet.iova)};
}

/// No warp writes WQEs together here: each thread writes its own.
template <std::uint32_t kLanes>
inline bool write_sends_of_warp(const TxQueueHandle&, bool, std::uint64_t, const TxPacket&, bool) {
  return false;
}

/// Writes packet_of(0) to packet_of(batch.count - 1) as the batch's WQEs. Collective, but no
/// barrier.
template <Scope S, class PacketOf>
inline void write_sends(S& scope, const TxQueueHandle& queue, const TxBatch& batch,
                        PacketOf packet_of) {
  for (std::uint32_t i = scope.rank(); i < batch.count; i += scope.size()) {
    write_wqe(queue, batch.first + i, packet_of(i), batch.asks(i) ? kCeAlways : kCeOnError);
  }
}

}  // namespace ringside
