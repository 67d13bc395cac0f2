// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A send queue that one scope owns, for kernels that only send. TxQueue is the same in parts, for
// loops that send what they receive.
#pragma once

#include <cstdint>

#include "lib/device/queue_error.hpp"
#include "lib/device/recovery.hpp"
#include "lib/device/scope.hpp"
#include "lib/device/tx.hpp"
#include "lib/device/tx_calls.hpp"
#include "lib/device/tx_send.hpp"
#include "lib/mlx5/format/queue.hpp"
#include "lib/mlx5/format/recovery.hpp"

namespace ringside {

/// SendQueue<Sharing::kExclusive>; lib/device/send_queue.hpp says what calls have in common. Each
/// thread's view; all threads of the scope hold one.
/// A batch of one basic block goes by BlueFlame where the handle says so. (Who rings for a shared
/// queue may ring for others too: there all go by the regular doorbell.)
class ExclusiveTxQueue : public TxCalls<ExclusiveTxQueue> {
 public:
  /// handle.wqe_slot is not used: no send releases a slot of a receive queue.
  RS_DEVICE explicit ExclusiveTxQueue(const TxQueueHandle& handle);

  template <Scope S>
  RS_DEVICE TxBatch reserve(S& scope, std::uint32_t count, std::uint64_t timeout_ns,
                            TxNotify notify = TxNotify::last());
  template <Scope S>
  RS_DEVICE void commit(S& scope, const TxBatch& batch);

  template <Scope S>
  RS_DEVICE TxStatus poll_at(S& scope, TxTicket ticket, std::uint64_t timeout_ns);

  /// As far as the last call of this scope has seen.
  RS_DEVICE TxTicket completed() const { return completed_; }
  RS_DEVICE QueueError stop_error() const { return stop_error_; }

  // recover(), lib/device/recovery.hpp
  static constexpr std::uint32_t kRecovers = kRecoverSend;
  template <Scope S>
  RS_DEVICE void empty(S& scope, const RecoveryWords& words);
  template <Scope S>
  RS_DEVICE void refill(S& scope, const RecoveryWords& words);

 private:
  friend TxCalls<ExclusiveTxQueue>;
  RS_DEVICE const TxQueueHandle& ring() const { return handle_; }
  RS_DEVICE TxTicket asked() const { return asked_; }
  template <Scope S>
  RS_DEVICE TxStatus take_some(S& scope, std::uint32_t most, std::uint64_t timeout_ns);

  /// Takes in CQEs, `most` at a time, until enough(progress) or the queue stops. Collective.
  template <Scope S, class Enough>
  RS_DEVICE TxStatus take_in(S& scope, std::uint32_t most, std::uint64_t timeout_ns, Enough enough);

  TxQueueHandle handle_;  // but for refill() it never changes
  std::uint64_t posted_;
  std::uint64_t completed_;
  std::uint64_t cq_consumed_;
  TxTicket asked_ = 0;
  bool stopped_ = false;
  QueueError stop_error_{};
};

}  // namespace ringside

#include "lib/device/impl/tx_exclusive.hpp"
