// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A send queue that one block owns.
//
// One packet is one WQE of one basic block. A block looks at completions, sees how much room there
// is, writes at most that many WQEs, and posts them together; so nothing here ever waits. Only the
// last WQE of a batch asks for a CQE, and that completes all before it.
#pragma once

#include <cstdint>

#include "lib/device/block.hpp"
#include "lib/device/cqe_tail.hpp"
#include "lib/device/queue_error.hpp"
#include "lib/device/rx.hpp"
#include "lib/mlx5/format/queue.hpp"

namespace ringside {

/// What one look at the completions found.
struct TxProgress {
  std::uint64_t completed;    ///< WQEs that the NIC has sent
  std::uint64_t cq_consumed;  ///< CQEs taken
  bool stopped;               ///< by an error CQE: nothing after `completed` is ever sent
  QueueError error;
};

class TxQueue {
 public:
  RS_DEVICE explicit TxQueue(const TxQueueHandle& handle);

  /// CQEs ahead that are worth a look at the same time: what a few small batches make.
  static constexpr std::uint32_t kLooks = 4;

  RS_DEVICE std::uint32_t depth() const { return 1U << handle_.log_depth; }
  /// WQEs that can be written now.
  RS_DEVICE std::uint32_t room() const;
  /// WQEs posted and not completed.
  RS_DEVICE std::uint32_t in_flight() const;

  /// Bytes of the packets that a stopped queue has not sent. Any thread, before retire().
  RS_DEVICE std::uint64_t bytes_lost(const TxProgress& progress) const;

  /// Would look() find something? Any thread.
  RS_DEVICE bool ready() const;
  /// Reads the CQEs that are there. One thread; broadcast the result.
  RS_DEVICE TxProgress look() const;
  /// The same in parts: as far as retire() knows,
  RS_DEVICE TxProgress progress() const { return {completed_, cq_consumed_, false, {}}; }
  /// the CQE `ahead` of the next one,
  RS_DEVICE const Cqe* cqe_ahead(const TxProgress& progress, std::uint32_t ahead) const {
    return cqe_at(progress.cq_consumed + ahead);
  }
  /// and what the next one says. false: it is not there, or the queue has stopped before.
  template <class Tail>
  RS_DEVICE bool take(TxProgress& progress, const Tail& next) const;
  /// Takes the progress in: releases the slots of what was sent, and of all that was posted when
  /// the queue has stopped, and tells the NIC which CQEs were taken. Collective, but no barrier.
  /// Returns how many were sent.
  template <Block B, class Rx>
  RS_DEVICE std::uint32_t retire(B& block, const TxProgress& progress, Rx& rx);

  /// Writes the WQE for the batch's packet number `i`, 0 to room() - 1. Any thread; a barrier lies
  /// between retire() and it.
  /// `slot`: the receive queue's slot that is released when it is sent, or kNoSlot.
  RS_DEVICE void write(std::uint32_t i, std::uint64_t iova, std::uint32_t length,
                       std::uint32_t slot) const;
  /// Hands the `count` WQEs written to the NIC. Collective; a barrier lies between the writes and
  /// it.
  template <Block B>
  RS_DEVICE void post(B& block, std::uint32_t count);

  /// Index of the batch's first WQE.
  RS_DEVICE std::uint64_t posted() const { return posted_; }

 private:
  RS_DEVICE std::uint32_t place(std::uint64_t index) const;
  RS_DEVICE const Cqe* cqe_at(std::uint64_t index) const;

  const TxQueueHandle handle_;
  std::uint64_t posted_;
  std::uint64_t completed_;
  std::uint64_t cq_consumed_;
};

}  // namespace ringside

#include "lib/device/impl/tx.hpp"
