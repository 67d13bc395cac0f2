// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A receive queue that one block owns.
//
// A receive ring re-arms only in order, so slot i keeps buffer i, and a slot whose packet is still
// being sent holds back those after it. A packet's slot is held once when it is received; whoever
// holds it last calls release(), and give_back() hands contiguous free slots to the NIC again.
#pragma once

#include <cstdint>

#include "lib/device/block.hpp"
#include "lib/device/packet.hpp"
#include "lib/device/queue_error.hpp"
#include "lib/mlx5/format/queue.hpp"

namespace ringside {

/// What one look at the queue found, the same in every thread. Packet i belongs to the thread
/// i mod size.
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

  /// false: an error CQE that cost this packet only. Its slot is held all the same.
  RS_DEVICE bool is_packet(const RxBatch& batch, std::uint32_t i) const;
  /// For the thread that i belongs to.
  RS_DEVICE Packet packet(const RxBatch& batch, std::uint32_t i) const;
  /// Of a batch that says `stopped`.
  RS_DEVICE QueueError stop_error(const RxBatch& batch) const;

  /// Lets go of a slot: the thread that its packet belongs to, or one other after a barrier.
  RS_DEVICE void release(std::uint32_t slot);
  /// Tells the NIC which completions were taken and which slots are free again. Collective; a
  /// barrier lies between it and the releases that it is to see.
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
