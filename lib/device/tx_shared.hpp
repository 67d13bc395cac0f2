// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A send queue that any number of scopes use at once: threads, warps or blocks, each as it likes.
//
// A scope reserves slots, which the NIC has freed, with one atomic; its threads write the WQEs; and
// the batches reach the NIC in the order of their slots. A scope whose turn has not come leaves
// word where its batch ends, and whoever rings next rings for it too. Threads of a warp that send
// each for itself, and come together, take their slots and ring as one.
#pragma once

#include <cstdint>

#include "lib/device/impl/tx_ops.hpp"
#include "lib/device/impl/tx_sharing.hpp"
#include "lib/device/scope.hpp"
#include "lib/device/sharing.hpp"
#include "lib/device/thread_scope.hpp"
#include "lib/device/tx_calls.hpp"
#include "lib/device/tx_send.hpp"
#include "lib/mlx5/format/queue.hpp"

namespace ringside {

/// SendQueue<Sharing::kBlock> and <Sharing::kGpu>; lib/device/send_queue.hpp says what calls have
/// in common. Each thread's view; all threads of a scope hold one.
///
/// commit() awaits those who reserved before and have not committed: between reserve() and commit()
/// a scope must not wait for others, nor reserve again.
/// `Ops`: the steps on memory; others than these do something besides (lib/device/counted.hpp).
template <Sharing kSharing, class Ops = DeviceTxOps<kSharing>>
class SharedTxQueue : public TxCalls<SharedTxQueue<kSharing, Ops>> {
 public:
  RS_DEVICE explicit SharedTxQueue(const SharedTxQueueHandle& handle)
      : SharedTxQueue(handle, Ops{handle.queue}) {}
  RS_DEVICE SharedTxQueue(const SharedTxQueueHandle& handle, const Ops& ops);

  template <Scope S>
  RS_DEVICE TxBatch reserve(S& scope, std::uint32_t count, std::uint64_t timeout_ns,
                            TxNotify notify = TxNotify::last());
  template <Scope S>
  RS_DEVICE void commit(S& scope, const TxBatch& batch);

  template <Scope S>
  RS_DEVICE TxStatus poll_at(S& scope, TxTicket ticket, std::uint64_t timeout_ns);

  /// As far as any scope has seen. Acquire, both.
  RS_DEVICE TxTicket completed() const { return sharing_.completed(); }
  RS_DEVICE QueueError stop_error() const { return sharing_.stop_error(); }

 private:
  friend struct SharedRecovery;  // lib/device/shared_recovery.hpp
  friend TxCalls<SharedTxQueue<kSharing, Ops>>;
  RS_DEVICE const TxQueueHandle& ring() const { return handle_.queue; }
  RS_DEVICE TxTicket asked() const { return asked_; }
  template <Scope S>
  RS_DEVICE TxStatus take_some(S& scope, std::uint32_t most, std::uint64_t timeout_ns);

  struct Claim {
    TxStatus status;
    std::uint64_t first;
  };
  /// Slots, by one thread; and by threads that happen to come together, by one of them for all.
  template <Scope S>
  RS_DEVICE Claim claim(S& scope, std::uint32_t count, std::uint64_t timeout_ns);
  RS_DEVICE Claim claim_together(ThreadScope& scope, std::uint32_t count, std::uint64_t timeout_ns);
  /// The same of handing them to the NIC.
  template <Scope S>
  RS_DEVICE void publish(S& scope, std::uint64_t first, std::uint64_t end, std::uint64_t peeked);
  RS_DEVICE bool publish_together(ThreadScope& scope, const TxBatch& batch);

  SharedTxQueueHandle handle_;  // but for its recovery it never changes
  TxSharing<Ops> sharing_;
  TxTicket asked_ = 0;
};

}  // namespace ringside

#include "lib/device/impl/tx_shared.hpp"
