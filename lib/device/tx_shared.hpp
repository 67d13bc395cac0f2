// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A send queue that any number of blocks use at once.
//
// A block reserves slots, which the NIC has freed, with one atomic; its threads write the WQEs; and
// the batches reach the NIC in the order of their slots. A block whose turn has not come leaves
// word where its batch ends, and whoever rings next rings for it too.
#pragma once

#include <cstdint>

#include "lib/device/block.hpp"
#include "lib/device/impl/tx_ops.hpp"
#include "lib/device/impl/tx_sharing.hpp"
#include "lib/device/tx_send.hpp"
#include "lib/mlx5/format/queue.hpp"

namespace ringside {

/// SendQueue<Sharing::kShared>. Each thread's view; all threads of a block hold one and call
/// everything together.
class SharedTxQueue {
 public:
  RS_DEVICE explicit SharedTxQueue(const SharedTxQueueHandle& handle);

  /// As ExclusiveTxQueue::send(). `timeout_ns` bounds the wait for free slots. Other blocks are
  /// awaited only between their reservation and their commit, where they wait for nobody but such
  /// blocks.
  template <Block B, class PacketOf>
  RS_DEVICE TxSend send(B& block, std::uint32_t count, PacketOf packet_of,
                        std::uint64_t timeout_ns);

  /// Awaits that all WQEs before `end` are sent, and what they sent may be written again.
  template <Block B>
  RS_DEVICE TxStatus wait(B& block, std::uint64_t end, std::uint64_t timeout_ns);

  /// The error that stopped the queue, once a call has returned kStopped.
  RS_DEVICE QueueError stop_error() const;

 private:
  /// Rank 0's part of send(): slots for `count` WQEs, or why not.
  template <Block B>
  RS_DEVICE TxSend reserve(B& block, std::uint32_t count, std::uint64_t timeout_ns);

  const SharedTxQueueHandle handle_;
  TxSharing<DeviceTxOps> sharing_;
};

}  // namespace ringside

#include "lib/device/impl/tx_shared.hpp"
