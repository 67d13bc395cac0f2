// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// ReceiveQueue for a striding ring: many packets lie in one buffer, each from a stride of its own
// on. A buffer goes back to the NIC when all its packets were released, and all buffers before it,
// whatever the order of releases: one packet that is kept keeps its buffer.
//
//   StridingReceiveQueue queue(handle);
//   const RxBatch batch = queue.receive(block, {.least = 1, .most = 64, .timeout_ns = 50'000});
//   for (std::uint32_t i = block.rank(); i < batch.count; i += block.size()) {
//     if (queue.is_packet(batch, i)) look_at(queue.packet(batch, i));
//     queue.release(queue.slot(batch, i));
//   }
//   block.sync();
//   queue.give_back(block);
//
// Calls are ReceiveQueue's, with CQEs for slots: of packets, of packets that were dropped (longer
// than a buffer, for one), and of fillers, by which the NIC gives up strides at a buffer's end that
// are too few for the next packet. All are released.
#pragma once

#include <cstdint>

#include "lib/device/receive_queue.hpp"
#include "lib/mlx5/format/striding_queue.hpp"

namespace ringside {

class StridingReceiveQueue : private ReceiveQueue {
 public:
  using Handle = StridingQueueHandle;

  RS_DEVICE explicit StridingReceiveQueue(const StridingQueueHandle& handle);

  using ReceiveQueue::depth;  ///< CQEs that there can be: strides of all buffers
  using ReceiveQueue::kept;   ///< CQEs that were received, and not released in order
  using ReceiveQueue::kRecovers;
  using ReceiveQueue::receive;
  using ReceiveQueue::release;
  using ReceiveQueue::slot;
  using ReceiveQueue::stop_error;

  /// Of completion i of a batch, until its slot is released. Any thread. Neither of the two: an
  /// error CQE, which cost a packet, and what was left of a buffer.
  RS_DEVICE bool is_packet(const RxBatch& batch, std::uint32_t i) const;
  RS_DEVICE bool is_filler(const RxBatch& batch, std::uint32_t i) const;
  RS_DEVICE Packet packet(const RxBatch& batch, std::uint32_t i) const;

  /// Tells the NIC which buffers are its again: see ReceiveQueue.
  template <Scope S>
  RS_DEVICE void give_back(S& scope);

  // recover(), lib/device/recovery.hpp: all that was received must be released, and given back.
  template <Scope S>
  RS_DEVICE void empty(S& scope, const RecoveryWords& words);
  template <Scope S>
  RS_DEVICE void refill(S& scope, const RecoveryWords& words) const;

 private:
  RS_DEVICE std::uint32_t byte_count(const RxBatch& batch, std::uint32_t i) const;

  const StridingBuffers buffers_;
};

}  // namespace ringside

#include "lib/device/impl/striding_queue.hpp"
