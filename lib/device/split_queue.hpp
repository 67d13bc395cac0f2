// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Queues of packets in two parts: what RxQueue and TxQueue are, for a receive queue that splits
// headers from data and a send queue that joins them again. Types of their own, so that packets
// that are whole pay nothing for it.
#pragma once

#include <cstdint>

#include "lib/device/rx.hpp"
#include "lib/device/split_packet.hpp"
#include "lib/device/tx.hpp"

namespace ringside {

/// handle.payload_iova is not nullptr.
class SplitRxQueue : public RxQueue {
 public:
  using RxQueue::RxQueue;
  RS_DEVICE SplitPacket take(const RxBatch& batch, std::uint32_t i) {
    return split(RxQueue::take(batch, i));
  }
  RS_DEVICE SplitPacket packet(const RxBatch& batch, std::uint32_t i) const {
    return split(RxQueue::packet(batch, i));
  }

 private:
  RS_DEVICE SplitPacket split(const Packet& packet) const {
    const RxQueueHandle& queue = handle();
    return {packet, queue.buffer_length, queue.payload_iova + packet.slot(),
            queue.payload_view_offset};
  }
};

class SplitTxQueue : public TxQueue {
 public:
  using TxQueue::TxQueue;
  using TxQueue::write;
  /// The WQE for a packet as it lies now, from both of its buffers; see TxQueue::write.
  RS_DEVICE void write(std::uint32_t i, const SplitPacket& packet, bool completes,
                       const TxOffload& offload = {}) const;
  RS_DEVICE std::uint64_t bytes_lost(const TxProgress& progress) const;
};

}  // namespace ringside

#include "lib/device/impl/split_queue.hpp"
