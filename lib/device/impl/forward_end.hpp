// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// How the forwarding loop ends, and goes on with queues that were recovered. It is long and rare,
// so it is a call, and has no part of the loop's state but what is handed over in memory: the loop
// keeps its registers.
#pragma once

#include <cstdint>
#include <type_traits>

#include "lib/device/impl/empty_queue.hpp"
#include "lib/device/impl/forward_queues.hpp"
#include "lib/device/impl/forward_tending.hpp"
#include "lib/device/impl/stream_report.hpp"
#include "lib/device/recovery.hpp"

namespace ringside {

/// Block-shared: how the queues were left, and then how they are.
struct ForwardEnd {
  RxQueueState rx;
  TxQueueState tx;
  TxProgress seen;             ///< of the send queue, but not retired yet
  std::uint64_t rx_cq_offset;  ///< of the receive queue's handle
  std::uint32_t sqn;           ///< of the send queue's
  std::uint32_t silent;        ///< kRecover*: stopped, and no CQE says so
  QueueError rx_error;
  bool rx_stopped;
  bool goes_on;  ///< queues that had stopped are ready again
};

/// By the back's threads together.
template <Program P, Block G>
class ForwardEnding {
 public:
  RS_DEVICE ForwardEnding(G& back, const StreamArgs& stream, StreamReport::Shared& report,
                          ForwardEnd& end)
      : back_(back),
        end_(end),
        rx_stopped_(end.rx_stopped),
        silent_(end.silent),
        queues_(back, stream),
        tending_(report, stream, end.seen) {
    if constexpr (kHasReceiveQueue<P>) queues_.rx.begin_again(end.rx_cq_offset);
    queues_.rx.join(end.rx);
    queues_.tx.join(end.tx);
  }

  RS_DEVICE void run() {
    back_.sync();  // all have read the queues' state that rank 0 changes now
    if (rx_stopped_) queues_.trace.receive_stopped(back_, end_.rx_error, end_.rx.received);
    drain();
    const bool recovers = queues_.stream.recovers && recover();
    if (back_.rank() == 0) end_.goes_on = recovers;
    if (recovers) return;
    if constexpr (kTakesOver<P>) {
      // Not when it was told to end: the kernel before has ended then, and what the NIC has yet to
      // send is not finished.
      if (tx_stopped()) queues_.rx.close(back_);
    }
    if (back_.rank() != 0) return;
    if (rx_stopped_ || tx_stopped()) {
      tending_.report().failed(first_error());
    } else {
      tending_.report().finished();
    }
  }

 private:
  RS_DEVICE bool tx_is_silent() const { return (silent_ & kRecoverSend) != 0; }
  RS_DEVICE bool tx_stopped() const { return tending_.seen().stopped || tx_is_silent(); }

  /// The one to name.
  RS_DEVICE QueueStop first_error() const {
    if (rx_stopped_) return {kRecoverReceive, end_.rx_error};
    return {kRecoverSend, tending_.seen().error};
  }

  /// Awaits the sends in flight, up to the deadline, and gives the slots back.
  RS_DEVICE void drain() {
    StreamReport& report = tending_.report();
    if (back_.rank() == 0) report.phase(BlockPhase::kDraining);
    const std::uint64_t start = back_.now_ns();
    const auto is_over = [&] { return back_.now_ns() - start >= queues_.stream.drain_ns; };
    tending_.retire(back_, queues_);
    // A stopped send queue has nothing in flight any more; its other CQEs are for its recovery.
    // Of what one has that says nothing, the NIC may read until it is reset.
    while (queues_.tx.in_flight() > 0 && !tx_is_silent()) {
      const std::uint32_t before = queues_.tx.in_flight();
      tending_.look(back_, queues_);
      tending_.retire(back_, queues_);
      if (back_.broadcast(is_over())) break;
      if (queues_.tx.in_flight() == before) {
        back_.idle([&] { return is_over() || queues_.tx.ready(); });
      } else {
        // What was sent may come back: on a short ring there is no slot for it else.
        queues_.rx.give_back(back_);
      }
    }
    back_.sync();
    queues_.rx.give_back(back_);
    if (back_.rank() != 0 || !rx_stopped_) return;
    if (is_of_a_packet(end_.rx_error)) report.add(&StreamCounters::rx_errors, 1);
  }

  /// Has the CPU reset what has stopped (lib/mlx5/format/recovery.hpp); false: there is nothing to
  /// recover, or no way to.
  RS_DEVICE bool recover() {
    // Who takes packets over may still use slots of the receive queue, or has closed for good.
    const bool sends_stopped = tx_stopped() || queues_.tx.in_flight() > 0;
    if (!rx_stopped_ && !tx_stopped()) return false;
    if (!kHasSendQueue<P> && sends_stopped) return false;
    if (back_.rank() == 0) tending_.report().awaits_recovery();
    const StreamArgs& stream = queues_.stream;
    const RecoveryWords words{&stream.status->recovery, &stream.control->recovery};
    const std::uint32_t stopped =
        (rx_stopped_ ? kRecoverReceive : 0) | (sends_stopped ? kRecoverSend : 0);
    if (!have_reset(
            back_, words, first_error(), stopped, [&] { return exit_is_set(stream); },
            [&] { empty(words, sends_stopped); })) {
      return false;
    }
    const std::uint64_t posted = queues_.tx.state().posted;
    queues_.trace.recovered(back_, stopped, end_.rx.received, posted,
                            static_cast<std::uint32_t>(posted - tending_.seen().completed));
    queues_.rx.give_back(back_);
    if (back_.rank() != 0) return true;
    end_.rx = queues_.rx.state();
    if (sends_stopped) end_.sqn = load_relaxed_system(&words.answer->sqn);
    // The loop's own report takes it that this is what it said last, or says another.
    tending_.report().phase(BlockPhase::kReceiving);
    return true;
  }

  /// Queues in reset, as new ones are. The NIC touches no packet of theirs any more, so those that
  /// it had not sent in time are given up now.
  RS_DEVICE void empty(const RecoveryWords& words, bool sends_stopped) {
    if (sends_stopped && !tending_.seen().stopped) {
      tending_.give_sends_up(back_, queues_);
      back_.sync();
    }
    if (back_.rank() == 0) end_.tx = queues_.tx.state();
    if constexpr (kHasSendQueue<P>) {
      if (sends_stopped && back_.rank() == 0) {
        end_.tx = empty_sends(queues_.stream.tx, tending_.seen().cq_consumed,
                              is_made_anew(words, kRecoverSend));
      }
    }
    if constexpr (kHasReceiveQueue<P>) {
      if (!rx_stopped_) return;
      const std::uint64_t cq_offset = back_.broadcast(empty_receives(
          back_, queues_.stream.rx, queues_.rx.state().received + queues_.rx.cq_offset(),
          is_made_anew(words, kRecoverReceive)));
      if constexpr (kTakesStrides<P>) {
        if (back_.rank() == 0) queues_.rx.empty_buffers();
      }
      queues_.rx.begin_again(cq_offset);
      if (back_.rank() != 0) return;
      end_.rx_cq_offset = cq_offset;
      store_relaxed_system(&words.request->rx_cq_offset, cq_offset);
    }
  }

  G& back_;
  ForwardEnd& end_;
  const bool rx_stopped_;
  const std::uint32_t silent_;
  ForwardQueues<P> queues_;
  ForwardTending<P> tending_;
};

/// A barrier lies between what is in `end` and this, and between this and what is in it then.
/// `Back`: the type of block.back(), be it a reference.
template <Program P, class Back>
RS_DEVICE_CALL void end_forward(Back back, const StreamArgs& stream, StreamReport::Shared& report,
                                ForwardEnd& end) {
  ForwardEnding<P, std::remove_reference_t<Back>>(back, stream, report, end).run();
}

}  // namespace ringside
