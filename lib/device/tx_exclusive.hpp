// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A send queue that one block owns, for kernels that only send. TxQueue is the same in parts, for
// loops that send what they receive.
#pragma once

#include <cstdint>

#include "lib/device/block.hpp"
#include "lib/device/queue_error.hpp"
#include "lib/device/tx.hpp"
#include "lib/device/tx_send.hpp"
#include "lib/mlx5/format/queue.hpp"

namespace ringside {

/// SendQueue<Sharing::kExclusive>. Each thread's view; all threads of the block hold one and call
/// everything together.
class ExclusiveTxQueue {
 public:
  /// handle.wqe_slot is not used: no send releases a slot of a receive queue.
  RS_DEVICE explicit ExclusiveTxQueue(const TxQueueHandle& handle);

  /// Sends `count` packets, 1 to the ring's depth. packet_of(i) tells packet i; any thread may be
  /// asked, and asked again. Waits for slots for up to `timeout_ns`; 0: not at all.
  /// A barrier lies before the NIC is told and none after, so the call returns in other threads
  /// while the last rank still rings.
  template <Block B, class PacketOf>
  RS_DEVICE TxSend send(B& block, std::uint32_t count, PacketOf packet_of,
                        std::uint64_t timeout_ns);

  /// Awaits that all WQEs before `end` are sent, and what they sent may be written again.
  template <Block B>
  RS_DEVICE TxStatus wait(B& block, std::uint64_t end, std::uint64_t timeout_ns);

  /// The error that stopped the queue, once a call has returned kStopped.
  RS_DEVICE QueueError stop_error() const { return stop_error_; }

 private:
  /// Takes completions in until all WQEs before `upto` are sent. Collective; a barrier.
  template <Block B>
  RS_DEVICE TxStatus complete(B& block, std::uint64_t upto, std::uint64_t timeout_ns);

  const TxQueueHandle handle_;
  std::uint64_t posted_;
  std::uint64_t completed_;
  std::uint64_t cq_consumed_;
  bool stopped_ = false;
  QueueError stop_error_{};
};

}  // namespace ringside

#include "lib/device/impl/tx_exclusive.hpp"
