// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Queues that count what passes through them: a choice at compile time, which costs the others
// nothing. Calls are those of SendQueue and ReceiveQueue; what is not here, queue() has.
//
//   __shared__ QueueTally tally;                        // block-shared
//   if (block.rank() == 0) tally.begin(counters);       // where the CPU looks
//   block.sync();
//   CountedSendQueue<Sharing::kExclusive> queue(handle, tally);
//   ... queue.send(block, count, packet_of, timeout_ns) ...
//   if (block.rank() == 0) queue.publish();             // now and then, and at the end
//
// The price is a sum over the scope a call (a barrier or two) and some adds to shared memory;
// publish() is a store a counter that has changed.
#pragma once

#include <cstdint>
#include <type_traits>

#include "lib/device/queue_counters.hpp"
#include "lib/device/receive_queue.hpp"
#include "lib/device/send_queue.hpp"
#include "lib/device/shared_recovery.hpp"
#include "lib/device/striding_queue.hpp"

namespace ringside {

/// The steps of a shared queue, of which whoever rings counts the doorbell: for how many sends it
/// rings, the other threads decide.
template <Sharing kSharing>
class CountingTxOps : public DeviceTxOps<kSharing> {
 public:
  RS_DEVICE CountingTxOps(const TxQueueHandle& queue, QueueTally& tally)
      : DeviceTxOps<kSharing>(queue), tally_(&tally) {}
  RS_DEVICE void ring(std::uint64_t end) const {
    DeviceTxOps<kSharing>::ring(end);
    tally_->add(&QueueCounters::doorbells, 1);
  }

 private:
  QueueTally* tally_;
};

template <Sharing kSharing>
class CountedSendQueue {
 public:
  using Queue = std::conditional_t<kSharing == Sharing::kExclusive, ExclusiveTxQueue,
                                   SharedTxQueue<kSharing, CountingTxOps<kSharing>>>;

  /// The tally is of one block's threads; other blocks that share the queue have their own.
  RS_DEVICE CountedSendQueue(const SendQueueHandle<kSharing>& handle, QueueTally& tally);

  /// packet_of(i) is asked once more, for its length.
  template <Scope S, class PacketOf>
  RS_DEVICE TxBatch send(S& scope, std::uint32_t count, PacketOf packet_of,
                         std::uint64_t timeout_ns, TxNotify notify = TxNotify::last());
  template <Scope S>
  RS_DEVICE TxBatch reserve(S& scope, std::uint32_t count, std::uint64_t timeout_ns,
                            TxNotify notify = TxNotify::last());
  RS_DEVICE void write(const TxBatch& batch, std::uint32_t i, const TxPacket& packet);
  template <Scope S>
  RS_DEVICE void commit(S& scope, const TxBatch& batch);

  /// See QueueTally::publish(). What this thread knows to be completed, and what has stopped it.
  RS_DEVICE void publish();
  RS_DEVICE Queue& queue() { return queue_; }

  // recover() of an exclusive queue, lib/device/recovery.hpp: what it takes is this, not queue().
  static constexpr std::uint32_t kRecovers = kRecoverSend;
  template <Scope S>
  RS_DEVICE void empty(S& scope, const RecoveryWords& words);
  template <Scope S>
  RS_DEVICE void refill(S& scope, const RecoveryWords& words) {
    queue_.refill(scope, words);
  }
  // recover_together() of a shared queue: the same.
  template <Scope S>
  RS_DEVICE void stopped(const S& scope);
  template <Scope S>
  RS_DEVICE void recovered(const S& scope);

 private:
  RS_DEVICE void tell();  ///< the tally, of the queue
  /// attempt(timeout_ns) until it has room; says of a first one that had none.
  template <Scope S, class Attempt>
  RS_DEVICE TxBatch with_room(S& scope, std::uint64_t timeout_ns, Attempt attempt);
  template <Scope S>
  RS_DEVICE void count(S& scope, std::uint32_t packets, std::uint64_t own_bytes);

  Queue queue_;
  QueueTally& tally_;
  TxTicket begun_;                   // what had been sent when the kernel began
  std::uint64_t written_bytes_ = 0;  // by this thread, since the last commit
};

/// lib/device/shared_recovery.hpp, and the tally knows: so one of a block's scopes calls this, the
/// one that publishes. Others that have the same tally call that of queue().
template <Scope S, class Ends, Sharing kSharing>
RS_DEVICE bool recover_together(S& scope, const RecoveryWords& words, std::uint32_t users,
                                Ends ends, CountedSendQueue<kSharing>& queue);

template <class Q>
class CountedReceiveQueueOf {
 public:
  using Queue = Q;

  RS_DEVICE CountedReceiveQueueOf(const typename Queue::Handle& handle, QueueTally& tally)
      : queue_(handle), tally_(tally) {}

  template <Scope S>
  RS_DEVICE RxBatch receive(S& scope, const RxWant& want);
  template <Scope S>
  RS_DEVICE void give_back(S& scope);

  RS_DEVICE void publish() { tally_.publish(); }
  RS_DEVICE Queue& queue() { return queue_; }

  // recover(), where the queue has it: what it takes is this, not queue().
  static constexpr std::uint32_t kRecovers = kRecoverReceive;
  template <Scope S>
  RS_DEVICE void empty(S& scope, const RecoveryWords& words);
  template <Scope S>
  RS_DEVICE void refill(S& scope, const RecoveryWords& words) {
    queue_.refill(scope, words);
  }

 private:
  Queue queue_;
  QueueTally& tally_;
};

using CountedReceiveQueue = CountedReceiveQueueOf<ReceiveQueue>;
using CountedSplitReceiveQueue = CountedReceiveQueueOf<SplitReceiveQueue>;
/// Fillers count for nothing; packets that are dropped count by their cause.
using CountedStridingReceiveQueue = CountedReceiveQueueOf<StridingReceiveQueue>;

}  // namespace ringside

#include "lib/device/impl/counted.hpp"
