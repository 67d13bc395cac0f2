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
#include "lib/device/tx_offload.hpp"
#include "lib/device/tx_send.hpp"
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

  RS_DEVICE std::uint32_t depth() const { return 1U << handle_.log_depth; }
  /// WQEs that can be written now.
  RS_DEVICE std::uint32_t room() const;
  /// WQEs posted and not completed.
  RS_DEVICE std::uint32_t in_flight() const;

  /// Bytes of the packets that a stopped queue has not sent. Any thread, before retire().
  RS_DEVICE std::uint64_t bytes_lost(const TxProgress& progress) const;

  /// Would look() find something? Any thread. Acquire, system.
  RS_DEVICE bool ready() const;
  /// Reads some of the CQEs that are there, from `seen` on: what was seen and not retired, or
  /// progress(). Collective; a barrier. Acquire: what was sent may be written over.
  template <Block B>
  RS_DEVICE void look(B& block, TxProgress& seen) const;
  RS_DEVICE TxProgress progress() const { return {completed_, cq_consumed_, false, {}}; }
  /// Takes the progress in: releases the slots of what was sent, and of all that was posted when
  /// the queue has stopped, and tells the NIC which CQEs were taken. Collective, but no barrier.
  /// Returns how many WQEs were sent.
  template <Block B, class Rx>
  RS_DEVICE std::uint32_t retire(B& block, const TxProgress& progress, Rx& rx);

  /// Writes the WQE for the batch's packet number `i`, 0 to room() - 1. Any thread; a barrier lies
  /// between retire() and it.
  /// `slot`: the receive queue's slot that is released when it is sent, or kNoSlot. `completes`: it
  /// asks for a CQE, as the last of a batch has to.
  RS_DEVICE void write(std::uint32_t i, std::uint64_t iova, std::uint32_t length,
                       std::uint32_t slot, bool completes, const TxOffload& offload = {}) const;
  /// The same in all 32 threads of a warp, which come together, whether they have a packet or not;
  /// each kLanes-th may, `sends`. `i` counts on from one of those that do to the next; of others it
  /// says nothing.
  template <std::uint32_t kLanes>
  RS_DEVICE void write_of_warp(bool sends, std::uint32_t i, const Packet& packet,
                               bool completes) const;
  /// Writes those of a whole batch that holds no slots: packet_of(i) for 0 to count - 1, of any
  /// type of one slot a packet (tx_content.hpp), `count` at most room(). Collective, but no
  /// barrier.
  template <Block B, class PacketOf>
  RS_DEVICE void write_all(B& block, std::uint32_t count, PacketOf packet_of) const;
  /// Hands the `count` WQEs written to the NIC. Collective; a barrier lies between the writes and
  /// it. Release, system: the NIC sees the WQEs, and the packets as the block's threads left them.
  template <Block B>
  RS_DEVICE void post(B& block, std::uint32_t count);
  /// The two steps of it: one thread, which wrote the WQEs or has a barrier behind it, tells the
  /// NIC, and all threads know it afterwards.
  RS_DEVICE void announce(std::uint32_t count) const;
  RS_DEVICE void advance(std::uint32_t count) { posted_ += count; }

  /// Index of the batch's first WQE.
  RS_DEVICE std::uint64_t posted() const { return posted_; }

  /// How far this thread knows the queue to be; one that took no part in post() or retire() learns
  /// it from one that did.
  RS_DEVICE TxQueueState state() const { return {posted_, completed_, cq_consumed_}; }
  RS_DEVICE void join(const TxQueueState& state);
  /// Of the queue, in its WQEs: another one after a recovery that had to make it anew.
  RS_DEVICE std::uint32_t number() const { return handle_.sqn; }
  RS_DEVICE void begin_again(std::uint32_t number) { handle_.sqn = number; }

 protected:
  RS_DEVICE const TxQueueHandle& handle() const { return handle_; }
  RS_DEVICE std::uint32_t place(std::uint64_t index) const;

 private:
  /// CQEs that a block looks at, at a time: what a few small batches make.
  static constexpr std::uint32_t kLooks = 4;
  struct Sights {
    CqeTail tails[kLooks];
  };
  /// Takes in what the next CQE says. false: it is not there, or the queue has stopped before.
  RS_DEVICE bool take(TxProgress& seen, const CqeTail& next) const;
  RS_DEVICE const Cqe* cqe_at(std::uint64_t index) const;

  TxQueueHandle handle_;  // but for begin_again() it never changes
  std::uint64_t posted_;
  std::uint64_t completed_;
  std::uint64_t cq_consumed_;
};

}  // namespace ringside

#include "lib/device/impl/tx.hpp"
