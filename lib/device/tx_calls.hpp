// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The calls that send queues of both kinds make out of their own reserve() and commit(), and of how
// each takes CQEs in. lib/device/send_queue.hpp says what they do.
#pragma once

#include <cstdint>

#include "lib/device/scope.hpp"
#include "lib/device/tx_send.hpp"

namespace ringside {

/// A base of `Queue`, which has, besides reserve(), commit() and poll_at():
///   ring(): the TxQueueHandle that WQEs are written by.
///   take_some(scope, most, timeout_ns): takes in the CQEs that are there, 1 or kAllCqes, and waits
///     for the first. Collective. kOk, kPending or kStopped.
///   asked(): the ticket of the last packet of this scope that asked for a CQE.
template <class Queue>
class TxCalls {
 public:
  template <Scope S, class PacketOf>
  RS_DEVICE TxBatch send(S& scope, std::uint32_t count, PacketOf packet_of,
                         std::uint64_t timeout_ns, TxNotify notify = TxNotify::last());
  RS_DEVICE void write(const TxBatch& batch, std::uint32_t i, const TxPacket& packet) const;

  template <Scope S>
  RS_DEVICE TxStatus poll_last(S& scope, std::uint64_t timeout_ns);
  template <Scope S>
  RS_DEVICE TxStatus poll_one(S& scope, std::uint64_t timeout_ns);
  template <Scope S>
  RS_DEVICE TxStatus poll_all(S& scope, std::uint64_t timeout_ns);

 private:
  RS_DEVICE Queue& queue() { return static_cast<Queue&>(*this); }
  RS_DEVICE const Queue& queue() const { return static_cast<const Queue&>(*this); }
};

}  // namespace ringside

#include "lib/device/impl/tx_calls.hpp"
