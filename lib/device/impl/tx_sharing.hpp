// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// How threads agree on a send ring: reserve, publish, poll. Each step on memory that others touch
// goes through Ops, so that a test can run these very lines in every order there is
// (tests/unit/device_tx_interleavings_test.cpp).
//
// Three indices only grow: completed <= committed <= reserved <= completed + depth.
//  - reserved moves by compare-exchange from the value that the room was computed with, so slots
//    are handed out once, and only slots that the NIC has freed: `completed` only ever adds room.
//  - committed is moved by the one thread whose batch begins there: nobody else may, and it cannot
//    fail to, since it waits for nothing in between. So batches reach the NIC in order, without
//    gaps. It goes on over the batches behind its own that are ready, and rings once for all.
//  - completed is moved by the one thread that holds `poller`.
#pragma once

#include <cstdint>

#include "lib/device/queue_error.hpp"
#include "lib/device/target.hpp"
#include "lib/device/tx.hpp"
#include "lib/mlx5/format/queue.hpp"

namespace ringside {

/// What a user knows who has come to a queue's recovery.
struct TxArrival {
  std::uint64_t recoveries;
  bool leads;  ///< it was the last of them
  RS_DEVICE std::uint64_t next(bool helped) const {
    return helped ? (recoveries + 2) & ~std::uint64_t{1} : (recoveries + 1) | 1U;
  }
};

template <class Ops>
class TxSharing {
 public:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  RS_DEVICE TxSharing(const Ops& ops, TxSharedState* shared, std::uint64_t* batch_end,
                      std::uint32_t log_depth)
      : ops_(ops), shared_(shared), batch_end_(batch_end), depth_(std::uint64_t{1} << log_depth) {}

  /// Index of `count` slots that are the caller's, or kNone: not enough are free.
  RS_DEVICE std::uint64_t try_reserve(std::uint32_t count) {
    std::uint64_t first = reserved_;
    while (true) {
      if (first + count > completed_ + depth_) {
        // Acquires what poll() released: the NIC has read the slots that are free now.
        completed_ = ops_.load_acquire(&shared_->completed);
        if (first + count > completed_ + depth_) return kNone;
      }
      // Relaxed: an index says nothing of memory. What makes the slots free was acquired above.
      const std::uint64_t found = ops_.exchange_relaxed(&shared_->reserved, first, first + count);
      if (found == first) break;
      first = found;
    }
    reserved_ = first + count;
    return first;
  }

  /// A look at the batch that begins at `end`, for try_publish() a little later: where that ends.
  RS_DEVICE std::uint64_t peek(std::uint64_t end) const {
    return ops_.load_relaxed(&batch_end_[end & (depth_ - 1)]);
  }

  /// Are the WQEs `first` to `end` - 1, reserved and written by the caller's block, with the NIC?
  /// Call until true, the first time with announce == true. `peeked`: of peek(end).
  RS_DEVICE bool try_publish(std::uint64_t first, std::uint64_t end, std::uint64_t peeked,
                             bool announce) {
    bool combine = peeked > end;
    // Nobody but this thread moves it on from where this thread left it.
    if (first != published_) {
      // Acquires the last ringer's release: its record and doorbell come before ours.
      std::uint64_t committed = ops_.load_acquire(&shared_->committed);
      if (committed != first && announce) {
        // Released: whoever rings for this batch has its WQEs. Stays until the slot is used again:
        // older entries are not greater than the index they are looked up for.
        ops_.store_release(&batch_end_[first & (depth_ - 1)], end);
        committed = ops_.load_acquire(&shared_->committed);
      }
      if (committed >= end) return true;
      if (committed != first) return false;
      combine = true;
    }
    std::uint64_t upto = end;
    while (combine) {
      // Acquires the WQEs of the batch that begins here, which the ring then hands on.
      const std::uint64_t next = ops_.load_acquire(&batch_end_[upto & (depth_ - 1)]);
      combine = next > upto;
      if (combine) upto = next;
    }
    ops_.ring(upto);
    // Released: the next ringer's record and doorbell come after these. A batch that became ready
    // meanwhile is rung for by its own thread, which has been waiting for this.
    ops_.store_release(&shared_->committed, upto);
    published_ = upto;
    return true;
  }

  /// Takes in the CQEs that are there, one of them or kAllCqes, unless another thread is at it.
  /// Returns how many.
  RS_DEVICE std::uint64_t poll(std::uint32_t most) {
    // Acquires the last poller's release, so that its words are ours.
    if (ops_.exchange_acquire(&shared_->poller, 0, 1) != 0) return 0;
    const std::uint64_t completed = ops_.load_relaxed(&shared_->cq_completed);
    const std::uint64_t consumed = ops_.load_relaxed(&shared_->cq_consumed);
    // What follows the error that stopped the queue says nothing of what was sent.
    const bool stopped = ops_.load_relaxed(&shared_->stopped) != 0;
    const auto progress = stopped ? TxProgress{completed, consumed, true, {}}
                                  : ops_.read_cqes(completed, consumed, most);
    if (progress.cq_consumed != consumed) {
      ops_.store_relaxed(&shared_->cq_completed, progress.completed);
      ops_.store_relaxed(&shared_->cq_consumed, progress.cq_consumed);
      // Before the slots are free, so that the CQE of what is posted there has room too.
      ops_.give_cqes_back(progress.cq_consumed);
      ops_.store_release(&shared_->completed, progress.completed);
      // After it, so that whoever sees the queue stopped sees what was sent before.
      if (progress.stopped) {
        ops_.store_release(&shared_->stopped, kStopped | queue_error_bits(progress.error));
      }
    }
    // After `completed` too, or the next poller's would be overtaken by ours.
    ops_.store_release(&shared_->poller, 0);
    return progress.cq_consumed - consumed;
  }

  /// Of the calls of a recovery the first: a user that has seen the queue stopped will not touch it
  /// any more. false: another thread is at `poller`, again.
  RS_DEVICE bool try_arrive(std::uint32_t users, TxArrival& arrival) {
    // The lock hands on what each that arrived before did to the queue, to the last one.
    if (ops_.exchange_acquire(&shared_->poller, 0, 1) != 0) return false;
    const std::uint64_t arrived = ops_.load_relaxed(&shared_->arrived) + 1;
    // Stands still: the recovery that changes it waits for this user.
    arrival = {ops_.load_relaxed(&shared_->recoveries), arrived == users};
    ops_.store_relaxed(&shared_->arrived, arrival.leads ? 0 : arrived);
    ops_.store_release(&shared_->poller, 0);
    return true;
  }
  /// The two of the user that leads, whose the queue is alone. Indices become those of a new queue.
  RS_DEVICE std::uint64_t cq_consumed() const { return ops_.load_relaxed(&shared_->cq_consumed); }
  RS_DEVICE void begin_again(std::uint64_t cq_consumed) {
    ops_.store_relaxed(&shared_->reserved, 0);
    ops_.store_relaxed(&shared_->committed, 0);
    ops_.store_relaxed(&shared_->completed, 0);
    ops_.store_relaxed(&shared_->stopped, 0);
    ops_.store_relaxed(&shared_->cq_consumed, cq_consumed);
    ops_.store_relaxed(&shared_->cq_completed, 0);
    // Indices begin again, so what was left here is greater than they are.
    for (std::uint64_t slot = 0; slot < depth_; ++slot) ops_.store_relaxed(&batch_end_[slot], 0);
  }
  /// Released: whoever sees that it is over has the queue as it was left.
  RS_DEVICE void end_recovery(const TxArrival& arrival, bool helped) {
    ops_.store_release(&shared_->recoveries, arrival.next(helped));
  }
  /// Acquires that. true: `helped` says how it ended.
  RS_DEVICE bool recovery_ended(const TxArrival& arrival, bool& helped) const {
    const std::uint64_t now = ops_.load_acquire(&shared_->recoveries);
    helped = (now & 1U) == 0;
    return now != arrival.recoveries;
  }
  /// Of each thread, after it. `number`: of the queue from now on.
  RS_DEVICE void forget(std::uint32_t number) {
    ops_.renumber(number);
    reserved_ = completed_ = 0;
    published_ = kNone;
  }

  RS_DEVICE std::uint64_t completed() const { return ops_.load_acquire(&shared_->completed); }
  RS_DEVICE bool stopped() const { return ops_.load_acquire(&shared_->stopped) != 0; }
  RS_DEVICE QueueError stop_error() const {
    return queue_error_of(static_cast<std::uint32_t>(ops_.load_acquire(&shared_->stopped)));
  }

 private:
  static constexpr std::uint64_t kStopped = std::uint64_t{1} << 32;

  Ops ops_;
  TxSharedState* shared_;
  std::uint64_t* batch_end_;
  std::uint64_t depth_;
  // What this thread saw last: each may be behind.
  std::uint64_t reserved_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t published_ = kNone;
};

}  // namespace ringside
