// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Writes WQEs on CPU threads.
#pragma once

#include <cstdint>

#include "lib/device/block.hpp"
#include "lib/device/impl/tx_wqe.hpp"
#include "lib/device/tx_send.hpp"

namespace ringside {

/// Writes the three segments of a WQE. What is behind them in its basic block, nobody reads.
inline void write_wqe(const TxQueueHandle& queue, std::uint64_t index, const TxPacket& packet,
                      std::uint8_t completion) {
  SendWqe* const wqe = wqe_at(queue, index);
  wqe->control = {Be32::of(opmod_idx_opcode(static_cast<std::uint32_t>(index), WqeOpcode::kSend)),
                  Be32::of(qpn_ds(queue.sqn, kSendWqeSegments)),
                  0,
                  {},
                  completion,
                  {}};
  wqe->ethernet = {};
  wqe->data = {Be32::of(packet.length), Be32::of(queue.lkey), Be64::of(packet.iova)};
}

/// Writes packet_of(0) to packet_of(count - 1) as WQEs from `first` on; the last asks for a CQE.
/// Collective, but no barrier.
template <Block B, class PacketOf>
inline void write_sends(B& block, const TxQueueHandle& queue, std::uint64_t first,
                        std::uint32_t count, PacketOf packet_of) {
  for (std::uint32_t i = block.rank(); i < count; i += block.size()) {
    write_wqe(queue, first + i, packet_of(i), i + 1 == count ? kCeAlways : kCeOnError);
  }
}

}  // namespace ringside
