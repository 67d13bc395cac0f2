// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the forwarding loop notes of itself, for programs that are traced and for those that are
// not.
#pragma once

#include <cstdint>
#include <type_traits>

#include "lib/device/block.hpp"
#include "lib/device/clock_answer.hpp"
#include "lib/device/program.hpp"
#include "lib/device/queue_error.hpp"
#include "lib/device/rx_batch.hpp"
#include "lib/device/stream.hpp"
#include "lib/device/traced.hpp"
#include "lib/device/tx.hpp"
#include "lib/mlx5/format/recovery.hpp"

namespace ringside {

class NoForwardTrace {
 public:
  template <Block B>
  RS_DEVICE NoForwardTrace(B&, const StreamArgs&) {}
  RS_DEVICE void begin() const {}
  template <Block G>
  RS_DEVICE void mark(TraceKind, const G&) const {}
  template <class Rx>
  RS_DEVICE void batch(const Rx&, const RxBatch&, std::uint64_t, std::uint32_t) const {}
  RS_DEVICE void posted(std::uint64_t, std::uint32_t) const {}
  template <Block G>
  RS_DEVICE void sends(const G&, const TxProgress&, const TxProgress&) const {}
  template <Block G>
  RS_DEVICE void receive_stopped(const G&, const QueueError&, std::uint64_t) const {}
  template <Block G>
  RS_DEVICE void recovered(const G&, std::uint32_t, std::uint64_t, std::uint64_t,
                           std::uint32_t) const {}
  template <Block G>
  RS_DEVICE void answer_clock(G&) const {}
  RS_DEVICE bool is_asked() const { return false; }
};

class ForwardTrace {
 public:
  template <Block B>
  RS_DEVICE ForwardTrace(B& block, const StreamArgs& stream)
      : stream_(stream),
        to_(*static_cast<const StreamTrace*>(stream.program.own)),
        next_(block.template shared<Next>()) {}

  /// One thread, and a barrier after it.
  RS_DEVICE void begin() const { next_ = {}; }

  /// A step of the batch in hand ends now. Each thread keeps its own times.
  template <Block G>
  RS_DEVICE void mark(TraceKind step, const G& group) {
    times_[static_cast<std::uint32_t>(step)] = group.now_ns();
  }

  /// The batch is over, `sent` packets of it up to `ticket`: by one thread, which has marked its
  /// steps. After the doorbell, so that no packet waits for this.
  template <class Rx>
  RS_DEVICE void batch(const Rx& rx, const RxBatch& batch, std::uint64_t ticket,
                       std::uint32_t sent) const {
    const TraceWriter writer(to_.served, next_.served);
    const std::uint64_t first = next_.received_before + batch.first;
    // An error CQE has the time stamp of no packet.
    if (rx.is_packet(batch, 0)) {
      const std::uint64_t stamp = rx.packet(batch, 0).timestamp();
      writer.note({TraceKind::kArrived, stream_.rx.rqn, batch.count, first, stamp});
    }
    note(writer, TraceKind::kSeen, stream_.rx.rqn, batch.count, first);
    note(writer, TraceKind::kProcessed, stream_.rx.rqn, batch.count, first);
    if (sent > 0) posted(ticket, sent);
  }

  /// `count` packets up to `ticket`, received or not. By the thread that has marked their steps.
  RS_DEVICE void posted(std::uint64_t ticket, std::uint32_t count) const {
    const TraceWriter writer(to_.served, next_.served);
    note(writer, TraceKind::kWritten, stream_.tx.sqn, count, next_.posted_before + ticket);
    note(writer, TraceKind::kRung, stream_.tx.sqn, count, next_.posted_before + ticket);
  }

  /// A look has seen the send completions from `before` on to `now`. The block's back.
  template <Block G>
  RS_DEVICE void sends(const G& back, const TxProgress& before, const TxProgress& now) const {
    if (back.rank() != 0 || now.cq_consumed == before.cq_consumed) return;
    const TraceWriter writer(to_.tended, next_.tended);
    const std::uint64_t seen_ns = back.now_ns();
    TxProgress progress = before;
    while (progress.cq_consumed != now.cq_consumed) {
      // The NIC has this entry again once retire() has said so.
      const std::uint64_t mask = (std::uint64_t{1} << stream_.tx.log_cq_depth) - 1;
      const Cqe& cqe = stream_.tx.cqe[progress.cq_consumed++ & mask];
      const std::uint64_t from = progress.completed;
      const bool is_good = take_completion(progress, cqe.op_own, cqe.wqe_counter.value());
      const std::uint64_t ticket = next_.posted_before + progress.completed;
      if (!is_good) {
        writer.note({TraceKind::kStopped, stream_.tx.sqn, error_syndrome(cqe), ticket, seen_ns});
        return;
      }
      const auto count = static_cast<std::uint32_t>(progress.completed - from);
      writer.note({TraceKind::kSent, stream_.tx.sqn, count, ticket, cqe.timestamp.value()});
      writer.note({TraceKind::kCompleted, stream_.tx.sqn, count, ticket, seen_ns});
    }
  }

  /// An error CQE of the receive queue was seen, behind `received` packets. The block's back, once
  /// nobody serves packets any more.
  template <Block G>
  RS_DEVICE void receive_stopped(const G& back, const QueueError& error,
                                 std::uint64_t received) const {
    if (back.rank() != 0) return;
    TraceWriter(to_.served, next_.served)
        .note({TraceKind::kStopped, stream_.rx.rqn, error.syndrome,
               next_.received_before + received, back.now_ns()});
  }

  /// `queues` (kRecover*) count their packets from 0 again: which had `received`, and had posted
  /// `posted`, of which `lost` were not sent. So does the block's back; a barrier after it.
  template <Block G>
  RS_DEVICE void recovered(const G& back, std::uint32_t queues, std::uint64_t received,
                           std::uint64_t posted, std::uint32_t lost) const {
    if (back.rank() != 0) return;
    const std::uint64_t now_ns = back.now_ns();
    if ((queues & kRecoverReceive) != 0) {
      next_.received_before += received;
      TraceWriter(to_.served, next_.served)
          .note({TraceKind::kRecovered, stream_.rx.rqn, 0, next_.received_before, now_ns});
    }
    if ((queues & kRecoverSend) != 0) {
      next_.posted_before += posted;
      TraceWriter(to_.tended, next_.tended)
          .note({TraceKind::kRecovered, stream_.tx.sqn, lost, next_.posted_before, now_ns});
    }
  }

  /// The block's back.
  template <Block G>
  RS_DEVICE void answer_clock(G& back) const {
    if (back.rank() == 0) ringside::answer_clock(back, *to_.clock);
  }
  /// A block that waits for packets looks at this too.
  RS_DEVICE bool is_asked() const {
    return load_relaxed_system(&to_.clock->request) != load_relaxed_system(&to_.clock->answer);
  }

 private:
  struct Next {
    std::uint64_t served;
    std::uint64_t tended;
    std::uint64_t received_before;  ///< by the queues before they were recovered
    std::uint64_t posted_before;
  };
  /// No loop over the steps: compilers keep times in registers where each is named.
  RS_DEVICE void note(const TraceWriter& writer, TraceKind step, std::uint32_t queue,
                      std::uint32_t count, std::uint64_t number) const {
    writer.note({step, queue, count, number, times_[static_cast<std::uint32_t>(step)]});
  }

  const StreamArgs& stream_;
  const StreamTrace to_;
  Next& next_;
  std::uint64_t times_[static_cast<std::uint32_t>(TraceKind::kKinds)]{};
};

template <Program P>
using ForwardTraceOf = std::conditional_t<kTraces<P>, ForwardTrace, NoForwardTrace>;

}  // namespace ringside
