// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A receive queue that one block owns.
//
// A receive ring re-arms only in order, so slot i keeps buffer i, and a slot whose packet is still
// being sent holds back those after it. take() holds a packet's slot, release() lets go of it, and
// give_back() hands contiguous free slots to the NIC again.
#pragma once

#include <cstdint>

#include "lib/device/block.hpp"
#include "lib/device/packet.hpp"
#include "lib/device/queue_error.hpp"
#include "lib/mlx5/format/queue.hpp"

namespace ringside {

/// What one look at the queue found, the same in every thread.
struct RxBatch {
  std::uint64_t first;  ///< index of its first CQE
  std::uint32_t count;  ///< CQEs: packets and bad packets
  bool stopped;         ///< the CQE after them says that the queue has stopped: see stop_error()
};

class RxQueue {
 public:
  RS_DEVICE explicit RxQueue(const RxQueueHandle& handle);

  /// Would receive() find something? Any thread.
  RS_DEVICE bool ready() const;
  /// Takes up to `max` completions that are there; never waits. Collective.
  template <Block B>
  RS_DEVICE RxBatch receive(B& block, std::uint32_t max);

  /// Holds the slot of the batch's packet i, 0 to count - 1. One thread a packet, any.
  RS_DEVICE Packet take(const RxBatch& batch, std::uint32_t i);
  /// The same packet again.
  RS_DEVICE Packet packet(const RxBatch& batch, std::uint32_t i) const;
  /// false: an error CQE that cost this packet only; there are no data.
  RS_DEVICE bool is_packet(const RxBatch& batch, std::uint32_t i) const;
  /// Of a batch that says `stopped`.
  RS_DEVICE QueueError stop_error(const RxBatch& batch) const;

  /// Lets go of a slot: the thread that took the packet, or another after a barrier.
  RS_DEVICE void release(std::uint32_t slot);
  /// Tells the NIC which completions were received and which slots are not held. Collective; a
  /// barrier lies between it and what was taken and released before.
  template <Block B>
  RS_DEVICE void give_back(B& block);

 private:
  /// Of the CQE of packet `index`.
  RS_DEVICE std::uint32_t cq_index(std::uint64_t index) const;
  RS_DEVICE const Cqe* cqe_at(std::uint64_t index) const;
  RS_DEVICE std::uint32_t slot_of(std::uint64_t index) const;

  const RxQueueHandle handle_;
  std::uint64_t received_;
  std::uint64_t released_;
};

}  // namespace ringside

#include "lib/device/impl/rx.hpp"
