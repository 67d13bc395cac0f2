// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/forward.hpp
#pragma once

#include <type_traits>

#include "lib/device/forward.hpp"
#include "lib/device/impl/hand_over.hpp"
#include "lib/device/impl/no_queue.hpp"
#include "lib/device/impl/program_state.hpp"
#include "lib/device/impl/stream_report.hpp"
#include "lib/device/memory.hpp"
#include "lib/device/rx.hpp"
#include "lib/device/tx.hpp"
#include "lib/device/udp_frame.hpp"

namespace ringside {

/// In each pass of the loop a part of the block serves packets: it looks for them, runs the program
/// and sends. That is the front while they are few, who need no barrier of the block, and the
/// workers otherwise. At the same time the back tends to all that packets do not wait for:
/// completed sends, slots to give back, counters, the exit word. Then all meet, and each thread
/// learns what the others did; where the parts are one, they do one after the other.
template <Program P, WholeBlock B>
class ForwardLoop {
 public:
  RS_DEVICE ForwardLoop(B& block, const StreamArgs& stream)
      : block_(block),
        stream_(stream),
        shared_(block.template shared<Shared>()),
        rx_(block, source(stream)),
        tx_(sink(stream)),
        report_(shared_.report, stream),
        seen_(tx_.progress()),
        program_(block, stream.program) {}

  RS_DEVICE void run() {
    if constexpr (kGenerates) {
      to_generate_ = P::kReceives ? stream_.first_burst : kEndless;
      if (to_generate_ > 0) write_frames();
    }
    if (tends()) {
      report_.begin();
      report_.phase(BlockPhase::kReceiving);
    }
    block_.sync();
    while (pass()) {
    }
    if (block_.in_back()) {
      auto&& back = block_.back();
      drain(back);
    }
  }

 private:
  using QueueRx = std::conditional_t<P::kReceives, RxQueue, NoRxQueue>;
  using QueueTx = std::conditional_t<P::kSends, TxQueue, NoTxQueue>;
  using Rx = std::conditional_t<kTakesOver<P>, TakeOver, QueueRx>;
  using Tx = std::conditional_t<kHandsOver<P>, GiveOver, QueueTx>;
  static constexpr bool kGenerates = P::kSends && !kHandsOver<P>;
  using State = StateOf<P, B>;
  static constexpr std::uint64_t kEndless = ~std::uint64_t{0};
  static constexpr std::uint32_t kRunBits = 64;
  /// CQEs that are looked at while little comes: each has its price.
  static constexpr std::uint32_t kFew = 2;
  static constexpr std::uint32_t kPassesAnExitLook = 8;

  /// What the parts tell each other at the end of a pass.
  struct Served {
    RxQueueState rx;
    TxQueueState tx;
    std::uint32_t count;    ///< completions taken, or frames made
    StreamCounters counts;  ///< what they came to, where there are any
    bool stopped;           ///< the receive queue
    QueueError error;
  };
  struct Tended {
    RxQueueState rx;
    TxQueueState tx;
    bool tidied;
    bool at_rest;  ///< nothing that was seen waits for being tidied up
    bool end;      ///< by the exit word, or the send queue has stopped
  };
  /// Two in turn: a thread may still read one when others are through with the next pass.
  struct Meeting {
    Served served;
    Tended tended;
  };
  struct Shared {
    StreamReport::Shared report;
    Meeting meeting[2];
  };

  /// What a batch came to, summed over the threads.
  enum Sum { kRxBytes, kBad, kConsumed, kDropped, kTxBytes, kSums };

  /// One round of the loop; false: it is over.
  RS_DEVICE bool pass() {
    Meeting& meeting = shared_.meeting[passes_ & 1U];
    if (many_ || generates()) {
      if (block_.in_workers()) serve<false>(block_.workers(), meeting.served);
    } else if (block_.in_front()) {
      auto&& front = block_.front();
      serve<true>(front, meeting.served);
    }
    if (block_.in_back()) {
      auto&& back = block_.back();
      tend(back, meeting.tended);
    }
    block_.sync();
    const Served& served = meeting.served;
    const Tended& tended = meeting.tended;
    rx_.join({served.rx.received, tended.rx.released});
    tx_.join({served.tx.posted, tended.tx.completed, tended.tx.cq_consumed});
    ++passes_;
    count_ = served.count;
    untidy_ = (tended.tidied ? 0 : untidy_) + count_;
    if (generates() && to_generate_ != kEndless) to_generate_ -= count_;
    many_ = count_ >= kFew;
    rx_stopped_ = served.stopped;
    if (count_ > 0 && tends()) report_.add(served.counts);
    if (served.stopped || tended.end) return false;
    if (count_ == 0 && untidy_ == 0 && tended.at_rest) await_work();
    return true;
  }

  RS_DEVICE static const auto& source(const StreamArgs& stream) {
    if constexpr (kTakesOver<P>) {
      return stream.from;
    } else {
      return stream.rx;
    }
  }
  RS_DEVICE static const auto& sink(const StreamArgs& stream) {
    if constexpr (kHandsOver<P>) {
      return stream.to;
    } else {
      return stream.tx;
    }
  }

  RS_DEVICE bool generates() const { return to_generate_ > 0; }
  /// The one thread that speaks to the CPU.
  RS_DEVICE bool tends() { return block_.in_back() && block_.back().rank() == 0; }

  RS_DEVICE void await_work() {
    if (tx_.room() == 0) {
      block_.idle([this] { return exit_is_set() || tx_.ready(); });
    } else if (!generates()) {
      block_.idle([this] { return exit_is_set() || rx_.ready() || tx_.ready(); });
    }
  }

  RS_DEVICE static std::uint32_t at_most(std::uint32_t value, std::uint32_t most) {
    return value < most ? value : most;
  }

  RS_DEVICE bool exit_is_set() const { return load_relaxed_system(&stream_.control->exit) != 0; }

  /// Takes what has come, processes and sends it; or sends frames of its own.
  template <bool kFront, Block G>
  RS_DEVICE void serve(G& group, Served& served) {
    const std::uint32_t most = at_most(tx_.room(), stream_.burst);
    RxBatch batch{};
    if (generates()) {
      if constexpr (kGenerates) batch.count = generate(group, most, served.counts);
    } else if constexpr (P::kReceives) {
      batch = receive<kFront>(group, most, served.counts);
    }
    if (group.rank() != 0) return;
    served.rx = rx_.state();
    served.tx = tx_.state();
    served.count = batch.count;
    served.stopped = batch.stopped;
    if constexpr (P::kReceives) {
      if (batch.stopped) served.error = rx_.stop_error(batch);
    }
  }

  template <bool kFront, Block G>
  RS_DEVICE RxBatch receive(G& group, std::uint32_t most, StreamCounters& counts) {
    RxBatch batch{};
    if constexpr (kFront) {
      if (most > 0) batch = rx_.await(group, G::kLookThreads > 1 ? at_most(most, kFew) : most);
    } else {
      batch = rx_.receive(group, most);
    }
    if (batch.count > 0) process(group, batch, counts);
    return batch;
  }

  template <Block G>
  RS_DEVICE void process(G& group, const RxBatch& batch, StreamCounters& counts) {
    std::uint32_t sums[kSums] = {};
    program_.begin_batch(group);
    process_together(group, batch);
    const std::uint32_t sent = send_batch(group, batch, sums);
    if constexpr (P::kSends) {
      group.sync();
      if (sent > 0) tx_.post(group, sent);
    }
    program_.end_batch(group);  // behind the doorbell, which waits for nothing that this tells
    group.sum(sums);
    if (group.rank() != 0) return;
    counts = {};
    counts.rx_packets = batch.count - sums[kBad];
    counts.rx_bytes = sums[kRxBytes];
    counts.rx_errors = sums[kBad];
    counts.consumed = sums[kConsumed];
    counts.dropped[static_cast<std::uint32_t>(DropCause::kProgram)] = sums[kDropped];
    counts.tx_packets = sent;
    counts.tx_bytes = sums[kTxBytes];
    counts.batches = 1;
  }

  template <Block G>
  RS_DEVICE void process_together(G& group, const RxBatch& batch) {
    if constexpr (ProcessesTogether<P, G>) {
      const auto packet_at = [&](std::uint32_t i) {
        return rx_.is_packet(batch, i) ? rx_.packet(batch, i) : Packet::none();
      };
      P::process_together(group, batch.count, packet_at, stream_.program);
      group.sync();
    }
  }

  /// Runs the program on all packets and writes the WQEs of those that it sends, in the order
  /// received. Returns how many.
  template <Block G>
  RS_DEVICE std::uint32_t send_batch(G& group, const RxBatch& batch, std::uint32_t (&sums)[kSums]) {
    std::uint32_t sent = 0;
    if constexpr (G::kLookThreads > 1) {
      // There are no more packets than threads, since each CQE had threads of its own.
      const std::uint32_t i = group.rank();
      const bool sends = i < batch.count && judge(batch, i, sums);
      const std::uint32_t place = group.exclusive_scan(sends, sent);
      if (sends) write(batch, i, place, place + 1 == sent);
    } else {
      // Each thread has a run of neighbours, so that one scan over the threads gives every packet
      // its place. A round is what a thread can remember as bits.
      const std::uint32_t widest = kRunBits * group.size();
      for (std::uint32_t round = 0; round < batch.count; round += widest) {
        const std::uint32_t count = at_most(batch.count - round, widest);
        const std::uint32_t run = (count + group.size() - 1) / group.size();
        const std::uint32_t first = round + at_most(group.rank() * run, count);
        const std::uint32_t end = round + at_most((group.rank() + 1) * run, count);
        std::uint64_t to_send = 0;
        std::uint32_t sends = 0;
        for (std::uint32_t i = first; i < end; ++i) {
          if (!judge(batch, i, sums)) continue;
          to_send |= std::uint64_t{1} << (i - first);
          ++sends;
        }
        std::uint32_t total = 0;
        std::uint32_t place = sent + group.exclusive_scan(sends, total);
        for (std::uint32_t i = first; i < end; ++i) {
          if ((to_send >> (i - first) & 1U) == 0) continue;
          write(batch, i, place, place + 1 == sent + total);
          ++place;
        }
        sent += total;
      }
    }
    return sent;
  }

  RS_DEVICE void write(const RxBatch& batch, std::uint32_t i, std::uint32_t place, bool last) {
    if constexpr (kHandsOver<P>) {
      tx_.write(place, rx_.packet(batch, i), program_.note(i));
    } else if constexpr (P::kSends) {
      const Packet packet = rx_.packet(batch, i);
      tx_.write(place, packet.iova(), packet.length(), packet.slot(), last);
    }
  }

  /// Runs the program on completion i. true: to be sent.
  RS_DEVICE bool judge(const RxBatch& batch, std::uint32_t i, std::uint32_t (&sums)[kSums]) {
    const auto packet = rx_.take(batch, i);
    if (!rx_.is_packet(batch, i)) {
      ++sums[kBad];
      rx_.release(packet.slot());
      return false;
    }
    sums[kRxBytes] += packet.length();
    const Verdict verdict = program_.process(packet, i);
    if (verdict == Verdict::kSend) {
      sums[kTxBytes] += packet.length();
      return true;
    }
    ++sums[verdict == Verdict::kConsume ? kConsumed : kDropped];
    rx_.release(packet.slot());
    return false;
  }

  RS_DEVICE void write_frames() {
    const TxBuffers& buffers = stream_.tx_buffers;
    for (std::uint32_t i = block_.rank(); i < buffers.count; i += block_.size()) {
      write_udp_frame(reinterpret_cast<std::uint8_t*>(
                          buffers.iova[i] + static_cast<std::uint64_t>(buffers.view_offset)),
                      stream_.program);
    }
  }

  /// Sends up to `most` frames of its own; returns how many.
  template <Block G>
  RS_DEVICE std::uint32_t generate(G& group, std::uint32_t most, StreamCounters& counts) {
    const std::uint32_t count =
        to_generate_ < most ? static_cast<std::uint32_t>(to_generate_) : most;
    if (count == 0) return 0;
    const TxBuffers& buffers = stream_.tx_buffers;
    const std::uint32_t length = stream_.program.packet_length;
    const std::uint32_t first = static_cast<std::uint32_t>(tx_.posted() % buffers.count);
    tx_.write_all(group, count, [&](std::uint32_t i) {
      return TxPacket{buffers.iova[(first + i) % buffers.count], length};
    });
    group.sync();
    tx_.post(group, count);
    if (group.rank() == 0) {
      counts = {};
      counts.tx_packets = counts.tx_generated = count;
      counts.tx_bytes = std::uint64_t{count} * length;
    }
    return count;
  }

  /// All that packets do not wait for.
  template <Block G>
  RS_DEVICE void tend(G& back, Tended& tended) {
    const bool asks = passes_ % kPassesAnExitLook == 0 && back.rank() == back.size() - 1;
    const bool end = asks && exit_is_set();  // on its way while the CQEs are
    tx_.look(back, seen_);
    const bool over = back.any(end) || seen_.stopped;
    if (back.rank() == 0) {
      report_.phase(tx_.room() > 0 ? BlockPhase::kReceiving : BlockPhase::kWaitingForSendRoom);
    }
    const bool has_work = untidy_ > 0 || seen_.cq_consumed != tx_.progress().cq_consumed;
    // While packets come, they are not disturbed by this before an eighth of a ring has gathered.
    const bool is_due = count_ == 0 || untidy_ >= tidy_after() || tx_.room() < tx_.depth() / 2;
    const bool tidies = has_work && is_due && !over;
    if (tidies) tidy_up(back);
    if (back.rank() == 0) {
      tended = {rx_.state(), tx_.state(), tidies, tidies || !has_work, over};
    }
  }

  RS_DEVICE std::uint32_t tidy_after() const {
    if constexpr (kTakesOver<P>) return rx_.depth() / 8;
    return (P::kReceives ? 1U << stream_.rx.log_depth : tx_.depth()) / 8;
  }

  template <Block G>
  RS_DEVICE void tidy_up(G& back) {
    retire(back);
    back.sync();
    rx_.give_back(back);
    if (back.rank() == 0) report_.store_counters();
  }

  /// Takes in what was seen of the send queue: what it has completed, or that it has stopped.
  template <Block G>
  RS_DEVICE void retire(G& back) {
    const std::uint32_t before = tx_.in_flight();
    const std::uint64_t bytes_lost = seen_.stopped ? tx_.bytes_lost(seen_) : 0;
    const std::uint32_t sent = tx_.retire(back, seen_, rx_);
    if (back.rank() != 0) return;
    report_.add(&StreamCounters::tx_completed, sent);
    if (!seen_.stopped) return;
    const std::uint32_t lost = before - sent;
    report_.add(&StreamCounters::tx_bytes, std::uint64_t{0} - bytes_lost);
    report_.add(&StreamCounters::tx_errors, lost);
    report_.add_drops(DropCause::kTxQueueDown, lost);
  }

  /// Awaits the sends in flight, up to the deadline, gives the slots back and says how it ended.
  template <Block G>
  RS_DEVICE void drain(G& back) {
    if (back.rank() == 0) report_.phase(BlockPhase::kDraining);
    const std::uint64_t start = back.now_ns();
    const auto is_over = [&] { return back.now_ns() - start >= stream_.drain_ns; };
    retire(back);
    // A stopped send queue has nothing in flight any more; its other CQEs are for its recovery.
    while (tx_.in_flight() > 0) {
      const std::uint32_t before = tx_.in_flight();
      tx_.look(back, seen_);
      retire(back);
      if (back.broadcast(is_over())) break;
      if (tx_.in_flight() == before) back.idle([&] { return is_over() || tx_.ready(); });
    }
    back.sync();
    rx_.give_back(back);
    if constexpr (kTakesOver<P>) {
      // Not when it was told to end: the kernel before has ended then, and what the NIC has yet to
      // send is not finished.
      if (seen_.stopped) rx_.close(back);
    }
    if (back.rank() != 0) return;
    // The first error is the one to name.
    if (rx_stopped_) {
      report_.failed(shared_.meeting[(passes_ - 1) & 1U].served.error, false);
    } else if (seen_.stopped) {
      report_.failed(seen_.error, true);
    } else {
      report_.finished();
    }
  }

  B& block_;
  const StreamArgs& stream_;
  Shared& shared_;
  Rx rx_;
  Tx tx_;
  StreamReport report_;
  TxProgress seen_;  // of the send queue, by the back; retire() takes it in
  State program_;
  std::uint64_t to_generate_ = 0;
  std::uint32_t passes_ = 0;
  std::uint32_t count_ = 0;   // what the last pass took
  std::uint32_t untidy_ = 0;  // what was taken since tidy_up()
  bool many_ = false;
  bool rx_stopped_ = false;
};

template <Program P, Block B>
RS_DEVICE void forward(B& block, const StreamArgs& stream) {
  ForwardLoop<P, B>(block, stream).run();
}

}  // namespace ringside
