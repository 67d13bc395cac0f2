// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// All that packets do not wait for: what a block's back does while others have packets in hand.
#pragma once

#include <cstdint>

#include "lib/device/impl/forward_meeting.hpp"
#include "lib/device/impl/forward_queues.hpp"
#include "lib/device/impl/stream_report.hpp"

namespace ringside {

/// Of the back's threads; its rank 0 is the one that speaks to the CPU.
template <Program P>
class ForwardTending {
 public:
  /// `seen`: of the send queue, but not retired yet.
  RS_DEVICE ForwardTending(StreamReport::Shared& report, const StreamArgs& stream,
                           const TxProgress& seen)
      : report_(report, stream), seen_(seen) {}

  RS_DEVICE StreamReport& report() { return report_; }
  RS_DEVICE const TxProgress& seen() const { return seen_; }

  /// How the loop stands.
  struct Since {
    std::uint32_t passes;
    std::uint32_t untidy;  ///< completions taken since the last tidy_up()
    std::uint32_t quiet;   ///< passes since the last one that took any
  };
  /// A pass. Collective.
  template <Block G>
  RS_DEVICE void tend(G& back, ForwardQueues<P>& queues, const Since& since, Tended& tended) {
    const bool asks = since.passes % kPassesAnExitLook == 0 && back.rank() == back.size() - 1;
    const bool end = asks && is_called_off(queues.stream);  // on its way while the CQEs are
    // Nothing can come when all is sent; a look would only stand in the way of those that wait. But
    // a kernel that packets are handed to may close at any time.
    if (kHandsOver<P> || queues.tx.in_flight() > 0) look(back, queues);
    const bool over = back.any(end) || seen_.stopped;
    if (back.rank() == 0) {
      report_.phase(queues.tx.room() > 0 ? BlockPhase::kReceiving
                                         : BlockPhase::kWaitingForSendRoom);
    }
    const bool has_work = since.untidy > 0 || seen_.cq_consumed != queues.tx.progress().cq_consumed;
    // While packets come, they are not disturbed by this before an eighth of a ring has gathered:
    // its fences stand in the way of theirs.
    const std::uint32_t eighth = eighth_of_ring(queues);
    const bool is_due = since.quiet >= kQuietPasses || since.untidy >= eighth ||
                        queues.tx.room() < queues.tx.depth() / 2 || queues.rx.kept() > 6 * eighth;
    // A packet that came alone is held behind its doorbell, so what this pass has posted may be
    // completed before that: let go of first, its slot would stay held. The pass's barrier is
    // behind both.
    const bool held = seen_.completed <= queues.tx.state().posted;
    const bool tidies = has_work && is_due && !over && held;
    if (tidies) tidy_up(back, queues);
    queues.trace.answer_clock(back);
    if (back.rank() == 0) {
      tended = {queues.rx.state(), queues.tx.state(), tidies, tidies || !has_work, over};
    }
  }

  /// Looks at the send queue's completions, for retire() to take them in. Collective.
  template <Block G>
  RS_DEVICE void look(G& back, ForwardQueues<P>& queues) {
    const TxProgress before = seen_;
    queues.tx.look(back, seen_);
    queues.trace.sends(back, before, seen_);
  }

  /// Takes in what was seen of the send queue: what it has completed, or that it has stopped.
  template <Block G>
  RS_DEVICE void retire(G& back, ForwardQueues<P>& queues) {
    const std::uint32_t before = queues.tx.in_flight();
    const std::uint64_t bytes_lost = seen_.stopped ? queues.tx.bytes_lost(seen_) : 0;
    const std::uint64_t consumed = queues.tx.progress().cq_consumed;
    const std::uint32_t sent = queues.tx.retire(back, seen_, queues.rx);
    if (back.rank() != 0) return;
    report_.add(&StreamCounters::tx_completed, sent);
    if constexpr (kHasSendQueue<P>) {
      report_.add(&StreamCounters::tx_cqes, seen_.cq_consumed - consumed);
    }
    if (!seen_.stopped) return;
    const std::uint32_t lost = before - sent;
    report_.add(&StreamCounters::tx_bytes, std::uint64_t{0} - bytes_lost);
    report_.add(&StreamCounters::tx_errors, lost);
    report_.add_drops(DropCause::kTxQueueDown, lost);
  }

  /// Nothing comes of what is in flight any more. Collective, but no barrier.
  template <Block G>
  RS_DEVICE void give_sends_up(G& back, ForwardQueues<P>& queues) {
    seen_.stopped = true;
    retire(back, queues);
    if (back.rank() == 0) report_.store_counters();
  }
  /// The send queue is another than it was.
  RS_DEVICE void begin_again(const ForwardQueues<P>& queues) { seen_ = queues.tx.progress(); }

  /// Counts what a pass came to. `generated`: the frames were its own. Rank 0.
  RS_DEVICE void add_up(const Served& served, bool generated) {
    report_.add(&StreamCounters::tx_packets, served.sent);
    report_.add(&StreamCounters::tx_bytes, served.sums[Served::kTxBytes]);
    if constexpr (kHasSendQueue<P>) report_.add(&StreamCounters::tx_doorbells, served.sent > 0);
    if (generated) {
      report_.add(&StreamCounters::tx_generated, served.sent);
      return;
    }
    report_.add(&StreamCounters::batches, 1);
    std::uint32_t errors = served.sums[Served::kBad];
    std::uint32_t fillers = 0;
    if constexpr (kTakesStrides<P>) {
      fillers = errors / Served::kFiller;
      errors %= Served::kFiller;
    }
    report_.add(&StreamCounters::rx_packets, served.count - errors - fillers);
    report_.add(&StreamCounters::rx_bytes, served.sums[Served::kRxBytes]);
    if (served.sent == served.count) return;
    report_.add(&StreamCounters::rx_errors, errors);
    report_.add(&StreamCounters::consumed, served.sums[Served::kConsumed]);
    report_.add_drops(DropCause::kProgram, served.sums[Served::kDropped]);
  }

 private:
  static constexpr std::uint32_t kPassesAnExitLook = 8;
  /// Passes without a packet after which more are not expected at once.
  static constexpr std::uint32_t kQuietPasses = 8;

  RS_DEVICE static std::uint32_t eighth_of_ring(const ForwardQueues<P>& queues) {
    if constexpr (kTakesOver<P>) return queues.rx.depth() / 8;
    return (P::kReceives ? 1U << queues.stream.rx.log_depth : queues.tx.depth()) / 8;
  }

  template <Block G>
  RS_DEVICE void tidy_up(G& back, ForwardQueues<P>& queues) {
    retire(back, queues);
    back.sync();
    queues.rx.give_back(back);
    if (back.rank() == 0) report_.store_counters();
  }

  StreamReport report_;
  TxProgress seen_;
};

}  // namespace ringside
