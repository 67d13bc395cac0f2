// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a kernel counts of a queue, where the CPU reads it while the kernel runs. For kernels with a
// loop of their own, by lib/device/counted.hpp; forward() has StreamCounters.
//
// Threads that share a tally add to it in the memory that they share; one of them, now and then,
// stores what has changed to where the CPU looks. Each counter is a 64-bit word that is stored
// whole and only grows, so a reader sees no torn value and none that goes back. Between words there
// is no order: relaxed on both sides, and a reader may see packets of a batch whose bytes come
// later.
#pragma once

#include <cstdint>

#include "lib/device/memory.hpp"
#include "lib/device/queue_error.hpp"
#include "lib/device/tx_send.hpp"
#include "lib/mlx5/format/cqe.hpp"

namespace ringside {

/// Kinds of error CQEs (PRM, "Completion with Error").
enum class QueueErrorCause : std::uint32_t {
  kLength,      ///< LOCAL_LENGTH_ERR: a packet longer than its buffer, for one
  kOperation,   ///< LOCAL_QP_OP_ERR: a WQE that the NIC does not take
  kProtection,  ///< LOCAL_PROT_ERR: memory that a key does not cover
  kFlushed,     ///< WR_FLUSH_ERR: the queue had stopped before
  kOther,
  kCount,
};
RS_DEVICE constexpr QueueErrorCause error_cause(std::uint8_t syndrome) {
  switch (static_cast<CqeSyndrome>(syndrome)) {
    case CqeSyndrome::kLocalLength:
      return QueueErrorCause::kLength;
    case CqeSyndrome::kLocalQpOperation:
      return QueueErrorCause::kOperation;
    case CqeSyndrome::kLocalProtection:
      return QueueErrorCause::kProtection;
    case CqeSyndrome::kWorkRequestFlushed:
      return QueueErrorCause::kFlushed;
    default:
      return QueueErrorCause::kOther;
  }
}
inline constexpr std::uint32_t kQueueErrorCauses =
    static_cast<std::uint32_t>(QueueErrorCause::kCount);

/// In memory that CPU and kernel reach. Goes on from kernel to kernel.
struct QueueCounters {
  std::uint64_t packets;    ///< received well; posted
  std::uint64_t bytes;      ///< of these
  std::uint64_t batches;    ///< receives that found something; sends
  std::uint64_t doorbells;  ///< of a receive queue: records written
  std::uint64_t ring_full;  ///< sends that found no room at once
  /// Of a send queue: basic blocks that the NIC has sent since it was made. Of the queue, whoever
  /// tells it.
  std::uint64_t completed;
  /// Those of them that were sent before a recovery emptied the queue, and its tickets began anew:
  /// a TxTicket is sent once the rest has come to it.
  std::uint64_t completed_before;
  /// Packets lost to an error CQE; of one that stopped the queue, 1 each time.
  std::uint64_t errors[kQueueErrorCauses];
};

/// Several tellers' counters of one queue, as one: blocks that share it have one each.
RS_DEVICE QueueCounters operator+(const QueueCounters& a, const QueueCounters& b) {
  QueueCounters sum{
      a.packets + b.packets,
      a.bytes + b.bytes,
      a.batches + b.batches,
      a.doorbells + b.doorbells,
      a.ring_full + b.ring_full,
      a.completed > b.completed ? a.completed : b.completed,
      a.completed_before > b.completed_before ? a.completed_before : b.completed_before,
      {}};
  // A send queue's one error is told by all; only one block receives from a queue.
  for (std::uint32_t i = 0; i < kQueueErrorCauses; ++i) {
    sum.errors[i] = a.errors[i] > b.errors[i] ? a.errors[i] : b.errors[i];
  }
  return sum;
}

/// By the CPU, at any time.
RS_DEVICE QueueCounters read_counters(const QueueCounters& published) {
  QueueCounters copy;
  const auto* const from = reinterpret_cast<const std::uint64_t*>(&published);
  auto* const to = reinterpret_cast<std::uint64_t*>(&copy);
  for (std::uint32_t i = 0; i < sizeof(copy) / sizeof(std::uint64_t); ++i) {
    to[i] = load_relaxed_system(from + i);
  }
  return copy;
}

/// In memory that the threads of one block share: a __shared__ variable, or one thread's own.
class QueueTally {
 public:
  /// One thread, and a barrier after it.
  RS_DEVICE void begin(QueueCounters* published) {
    to_ = published;
    now_ = stored_ = read_counters(*published);
    has_stopped_ = has_begun_ = false;
  }

  /// Any thread.
  template <class Member>
  RS_DEVICE void add(Member member, std::uint64_t by) {
    if (by != 0) add_relaxed_block(&(now_.*member), by);
  }
  RS_DEVICE void add_errors(QueueErrorCause cause, std::uint64_t by) {
    if (by != 0) add_relaxed_block(&now_.errors[static_cast<std::uint32_t>(cause)], by);
  }

  // One thread at a time, the same one or with a barrier between.

  /// Whoever finds the queue stopped says so; it counts once, until the queue was emptied.
  RS_DEVICE void stopped_by(QueueErrorCause cause) {
    if (!has_stopped_) add_errors(cause, 1);
    has_stopped_ = true;
  }
  /// Of a send queue: what is known to be sent, and what was when the kernel began. If that is less
  /// than what the kernel before had told, the CPU has emptied the queue between the two.
  RS_DEVICE void sent(TxTicket completed, TxTicket begun) {
    if (!has_begun_ && begun < now_.completed - now_.completed_before) begin_tickets();
    has_begun_ = true;
    const std::uint64_t all = now_.completed_before + completed;
    if (all > now_.completed) now_.completed = all;
  }
  /// A recovery empties the queue, after all that was said of it before.
  RS_DEVICE void emptied() {
    begin_tickets();
    has_stopped_ = false;
  }

  /// Stores what has changed to where the CPU looks, so that no word goes back.
  RS_DEVICE void publish() {
    const auto* const now = reinterpret_cast<const std::uint64_t*>(&now_);
    auto* const stored = reinterpret_cast<std::uint64_t*>(&stored_);
    auto* const to = reinterpret_cast<std::uint64_t*>(to_);
    RS_NOT_UNROLLED
    for (std::uint32_t i = 0; i < sizeof(QueueCounters) / sizeof(std::uint64_t); ++i) {
      const std::uint64_t value = load_relaxed_system(now + i);
      if (value == stored[i]) continue;
      stored[i] = value;
      store_relaxed_system(to + i, value);
    }
  }

 private:
  RS_DEVICE void begin_tickets() { now_.completed_before = now_.completed; }

  QueueCounters now_;
  QueueCounters stored_;
  QueueCounters* to_;
  bool has_stopped_;
  bool has_begun_;  // sent() was called
};

}  // namespace ringside
