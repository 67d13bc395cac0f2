// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Receives by a thread, a warp or a block (lib/device/scope.hpp), for kernels with a loop of their
// own; forward() has RxQueue, which is the same in parts.
//
//   ReceiveQueue queue(handle);
//   const RxBatch batch = queue.receive(block, {.least = 1, .most = 64, .timeout_ns = 50'000});
//   for (std::uint32_t i = block.rank(); i < batch.count; i += block.size()) {
//     if (queue.is_packet(batch, i)) look_at(queue.packet(batch, i));
//     queue.release(queue.slot(batch, i));  // now, or when what sends the packet has ended
//   }
//   block.sync();
//   queue.give_back(block);
//
// One scope has the queue: all its threads hold one of these and make the collective calls
// together. Nothing is overwritten while it is held: a slot goes back to the NIC when it was
// released and all before it were, whatever the order of releases.
#pragma once

#include <cstdint>
#include <type_traits>

#include "lib/device/packet.hpp"
#include "lib/device/queue_error.hpp"
#include "lib/device/recovery.hpp"
#include "lib/device/rx_batch.hpp"
#include "lib/device/scope.hpp"
#include "lib/device/split_packet.hpp"
#include "lib/mlx5/format/queue.hpp"
#include "lib/mlx5/format/recovery.hpp"

namespace ringside {

/// When a receive ends.
struct RxWant {
  std::uint32_t least;       ///< packets that are worth returning with
  std::uint32_t most;        ///< no more than that
  std::uint64_t timeout_ns;  ///< then with fewer, or none; 0: does not wait
};

/// `kSplit`: handle.payload_iova is not nullptr, packets are in two parts.
template <bool kSplit>
class ReceiveQueueOf {
 public:
  using Handle = RxQueueHandle;
  using Received = std::conditional_t<kSplit, SplitPacket, Packet>;

  /// Goes on where the last kernel has ended. Any thread; the handle is copied.
  RS_DEVICE explicit ReceiveQueueOf(const RxQueueHandle& handle);

  /// Takes completions, want.most at most, and holds their slots. Fewer than want.least only where
  /// the time has passed, the queue has stopped, or that many slots are held already. Collective;
  /// a barrier. The packets' bytes are visible to all threads of the scope (acquire, of the NIC's
  /// write of the CQE).
  template <Scope S>
  RS_DEVICE RxBatch receive(S& scope, const RxWant& want);

  // Of completion i of a batch, 0 to count - 1, until its slot is released. Any thread; no wait, no
  // order but that of receive().
  /// false: an error CQE that cost this packet only, longer than its buffer for one. No data.
  RS_DEVICE bool is_packet(const RxBatch& batch, std::uint32_t i) const;
  RS_DEVICE Received packet(const RxBatch& batch, std::uint32_t i) const;
  RS_DEVICE std::uint32_t slot(const RxBatch& batch, std::uint32_t i) const;
  /// Of a batch that says `stopped`: why. Any thread.
  RS_DEVICE QueueError stop_error(const RxBatch& batch) const;

  /// Lets go of a slot, packet or not. Any thread, in any order.
  RS_DEVICE void release(std::uint32_t slot) const;
  /// Tells the NIC which slots are its again, and the next kernel how far this one is: at the end
  /// of one too. Collective; a barrier lies between it and the releases. Release at system scope:
  /// the NIC overwrites buffers after all that the scope's threads did to them.
  template <Scope S>
  RS_DEVICE void give_back(S& scope);

  /// Slots that the NIC does not have, and all slots. Any thread.
  RS_DEVICE std::uint32_t kept() const { return static_cast<std::uint32_t>(received_ - released_); }
  RS_DEVICE std::uint32_t depth() const { return 1U << handle_.log_depth; }

  // recover(), lib/device/recovery.hpp: all slots must be back.
  static constexpr std::uint32_t kRecovers = kRecoverReceive;
  template <Scope S>
  RS_DEVICE void empty(S& scope, const RecoveryWords& words);
  template <Scope S>
  RS_DEVICE void refill(S& scope, const RecoveryWords& words) const;

 protected:
  RS_DEVICE const RxQueueHandle& handle() const { return handle_; }
  RS_DEVICE RxQueueState state() const { return {received_, released_}; }
  /// What give_back() does before it tells the NIC. Collective; a barrier.
  template <Scope S>
  RS_DEVICE void pass_released(S& scope);

 private:
  /// Is the CQE i after the last one received there? Acquire.
  RS_DEVICE bool ready(std::uint32_t i, std::uint8_t& op_own) const;

  RxQueueHandle handle_;  // but for recovery it never changes
  std::uint64_t received_;
  std::uint64_t released_;
};

using ReceiveQueue = ReceiveQueueOf<false>;
using SplitReceiveQueue = ReceiveQueueOf<true>;

}  // namespace ringside

#include "lib/device/impl/receive_queue.hpp"
