// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/forward.hpp
#pragma once

#include <type_traits>

#include "lib/device/forward.hpp"
#include "lib/device/impl/empty_queue.hpp"
#include "lib/device/impl/forward_trace.hpp"
#include "lib/device/impl/gathering.hpp"
#include "lib/device/impl/hand_over.hpp"
#include "lib/device/impl/no_queue.hpp"
#include "lib/device/impl/program_state.hpp"
#include "lib/device/impl/stream_report.hpp"
#include "lib/device/memory.hpp"
#include "lib/device/recovery.hpp"
#include "lib/device/rx.hpp"
#include "lib/device/split_queue.hpp"
#include "lib/device/tx.hpp"
#include "lib/device/tx_gather.hpp"
#include "lib/device/udp_frame.hpp"

namespace ringside {

template <Program P>
using ForwardTraceOf = std::conditional_t<kTraces<P>, ForwardTrace, NoForwardTrace>;

/// In each pass of the loop a part of the block serves packets: it looks for them, runs the program
/// and sends. That is the front while they are no more than it can look at, who need no barrier of
/// the block, and the workers otherwise. At the same time the back tends to all that packets do not
/// wait for: completed sends, slots to give back, counters, the exit word. Then all meet, and each
/// thread learns what the others did; where the parts are one, they do one after the other.
template <Program P, WholeBlock B>
class ForwardLoop : private ForwardTraceOf<P> {
 public:
  RS_DEVICE ForwardLoop(B& block, const StreamArgs& stream)
      : Trace(block, stream),
        block_(block),
        stream_(stream),
        shared_(block.template shared<Shared>()),
        rx_(block, source(stream)),
        tx_(sink(stream)),
        report_(shared_.report, stream),
        seen_(tx_.progress()),
        program_(block, stream.program),
        due_ns_(block.now_ns()) {}

  RS_DEVICE void run() {
    if constexpr (kHasSendQueue) {
      to_generate_ = P::kReceives ? stream_.first_burst : kEndless;
      if (to_generate_ > 0) write_frames();
    }
    if (tends()) {
      report_.begin();
      report_.phase(BlockPhase::kReceiving);
      trace().begin();
    }
    block_.sync();
    do {
      while (pass()) {
      }
      if (block_.in_back()) {
        auto&& back = block_.back();
        end(back);
      }
    } while (goes_on());
  }

 private:
  using Trace = ForwardTraceOf<P>;
  static_assert(!kTraces<P> || (P::kReceives && P::kSends && !kTakesOver<P> && !kHandsOver<P>));
  using WholeOrSplitRx = std::conditional_t<kTakesSplit<P>, SplitRxQueue, RxQueue>;
  using WholeOrSplitTx = std::conditional_t<kTakesSplit<P>, SplitTxQueue, TxQueue>;
  using QueueRx = std::conditional_t<P::kReceives, WholeOrSplitRx, NoRxQueue>;
  using QueueTx = std::conditional_t<P::kSends, WholeOrSplitTx, NoTxQueue>;
  using Rx = std::conditional_t<kTakesOver<P>, TakeOver, QueueRx>;
  using Tx = std::conditional_t<kHandsOver<P>, GiveOver, QueueTx>;
  /// Has it queues, not rings in their place, or none?
  static constexpr bool kHasSendQueue = P::kSends && !kHandsOver<P>;
  static constexpr bool kHasReceiveQueue = P::kReceives && !kTakesOver<P>;
  using State = StateOf<P, B>;
  static constexpr std::uint64_t kEndless = ~std::uint64_t{0};
  static constexpr std::uint32_t kRunBits = 64;
  static constexpr std::uint32_t kFcs = 4;
  static constexpr std::uint32_t kVlanTag = 4;
  /// A paced send queue that had nothing to send, or no time to, makes up for that much of it.
  static constexpr std::uint64_t kMakesUpForNs = 1'000'000;
  static constexpr std::uint32_t kWidest = ~0U;
  static constexpr std::uint32_t kPassesAnExitLook = 8;
  /// Passes without a packet after which more are not expected at once.
  static constexpr std::uint32_t kQuietPasses = 8;

  /// What a batch came to, summed over the threads.
  enum Sum { kRxBytes, kBad, kConsumed, kDropped, kTxBytes, kSums };

  /// What the parts tell each other at the end of a pass.
  struct Served {
    RxQueueState rx;
    TxQueueState tx;
    std::uint32_t count;  ///< completions taken, or frames made
    std::uint32_t sent;   ///< of these
    std::uint32_t sums[kSums];
    bool stopped;  ///< the receive queue
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
  /// How the back has ended.
  struct Ended {
    bool goes_on;  ///< queues that had stopped are ready again
    std::uint64_t rx_cq_offset;
    RxQueueState rx;
    TxQueueState tx;
  };
  struct Shared {
    StreamReport::Shared report;
    Meeting meeting[2];
    Ended ended;
  };

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
    quiet_ = count_ > 0 ? 0 : quiet_ + 1;
    choose_width();
    many_ = count_ >= front_limit() && workers_limit() > front_limit();
    rx_stopped_ = served.stopped;
    if (count_ > 0 && tends()) add_up(served);
    if (is_paced() && count_ > 0) wait_for(served);
    if (generates() && to_generate_ != kEndless) to_generate_ -= count_;
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

  RS_DEVICE Trace& trace() { return *this; }

  RS_DEVICE bool generates() const { return to_generate_ > 0; }
  /// The one thread that speaks to the CPU.
  RS_DEVICE bool tends() { return block_.in_back() && block_.back().rank() == 0; }

  RS_DEVICE bool is_paced() const {
    if constexpr (kHasSendQueue) return stream_.pace != 0;
    return false;
  }
  /// In the block's rank 0: has the send queue's rate made up for what was sent?
  RS_DEVICE bool may_send() const {
    return !is_paced() || static_cast<std::int64_t>(block_.now_ns() - due_ns_) >= 0;
  }
  /// The next frame is due behind those that were sent. Each thread has a time of its own; rank 0's
  /// is the one that is looked at.
  RS_DEVICE void wait_for(const Served& served) {
    const std::uint64_t bytes =
        std::uint64_t{served.sums[kTxBytes]} + std::uint64_t{kFcs + tag_bytes()} * served.sent;
    const std::uint64_t earliest = block_.now_ns() - kMakesUpForNs;
    if (static_cast<std::int64_t>(earliest - due_ns_) > 0) due_ns_ = earliest;
    const std::uint64_t ticks = bytes * stream_.pace + due_part_;
    due_ns_ += ticks >> kPaceTickBits;
    due_part_ = static_cast<std::uint32_t>(ticks & ((1U << kPaceTickBits) - 1));
  }

  /// What the NIC makes each frame longer.
  RS_DEVICE std::uint32_t tag_bytes() const {
    if constexpr (kOffloads<P>) return program_.offload().insert_vlan ? kVlanTag : 0;
    return 0;
  }

  RS_DEVICE bool gathers() const {
    if constexpr (kGathers<P>) return program_.gather_ns() != 0;
    return false;
  }
  /// In the block's rank 0: how much of `most` is of a batch that is full or has waited long
  /// enough?
  RS_DEVICE std::uint32_t gathered(std::uint32_t most) {
    if constexpr (kGathers<P>) {
      // A batch can be no larger than the ring.
      return gathering_.allowed(program_.gather_ns(), block_.now_ns(),
                                at_most(most, 1U << stream_.rx.log_depth),
                                [this](std::uint32_t i) { return rx_.ready(i); });
    }
    return most;
  }
  RS_DEVICE bool may_take() {
    return !gathers() || gathered(at_most(tx_.room(), stream_.burst)) > 0;
  }

  /// By the thread that keeps the counters.
  RS_DEVICE void add_up(const Served& served) {
    report_.add(&StreamCounters::tx_packets, served.sent);
    report_.add(&StreamCounters::tx_bytes, served.sums[kTxBytes]);
    if constexpr (kHasSendQueue) report_.add(&StreamCounters::tx_doorbells, served.sent > 0);
    if (generates()) {
      report_.add(&StreamCounters::tx_generated, served.sent);
      return;
    }
    report_.add(&StreamCounters::batches, 1);
    report_.add(&StreamCounters::rx_packets, served.count - served.sums[kBad]);
    report_.add(&StreamCounters::rx_bytes, served.sums[kRxBytes]);
    if (served.sent == served.count) return;
    report_.add(&StreamCounters::rx_errors, served.sums[kBad]);
    report_.add(&StreamCounters::consumed, served.sums[kConsumed]);
    report_.add_drops(DropCause::kProgram, served.sums[kDropped]);
  }

  /// CQEs that the front can look at, and the workers may.
  RS_DEVICE std::uint32_t front_limit() {
    auto&& front = block_.front();
    return look_limit(front);
  }
  RS_DEVICE std::uint32_t workers_limit() {
    return at_most(look_limit(block_.workers()), stream_.burst);
  }

  /// Each CQE that is looked at has its price. While packets come alone, the front looks at the
  /// next one, and behind a packet at two; at all that it can once there were more, and behind the
  /// first of those that come together as the last did.
  RS_DEVICE void choose_width() {
    if (count_ > 1) {
      together_ = true;
      width_ = kWidest;
    } else if (count_ == 1 && width_ == 1) {
      width_ = together_ ? kWidest : 2;
    } else {
      together_ = together_ && (count_ == 0 || width_ != kWidest);
      width_ = 1;
    }
  }

  RS_DEVICE void await_work() {
    if constexpr (kMakesFrames<P>) {
      block_.idle([this] {
        return exit_is_set() || tx_.ready() ||
               (frame_room() > 0 && may_send() && program_.is_due(block_.now_ns()));
      });
    } else if (tx_.room() == 0) {
      block_.idle([this] { return exit_is_set() || tx_.ready() || trace().is_asked(); });
    } else if (!generates()) {
      block_.idle([this] {
        return exit_is_set() || (may_send() && rx_.ready() && may_take()) || tx_.ready() ||
               trace().is_asked();
      });
    }
  }

  RS_DEVICE static std::uint32_t at_most(std::uint32_t value, std::uint32_t most) {
    return value < most ? value : most;
  }

  RS_DEVICE bool exit_is_set() const { return load_relaxed_system(&stream_.control->exit) != 0; }

  /// Takes what has come, processes and sends it; or sends frames of its own.
  template <bool kFront, Block G>
  RS_DEVICE void serve(G& group, Served& served) {
    std::uint32_t most = at_most(tx_.room(), stream_.burst);
    if (is_paced() && !group.broadcast(may_send())) most = 0;
    if (gathers()) most = group.broadcast(group.rank() == 0 ? gathered(most) : 0);
    RxBatch batch{};
    if (generates()) {
      if constexpr (kHasSendQueue) batch.count = generate(group, most, served);
    } else if constexpr (P::kReceives) {
      batch = receive<kFront>(group, most, served);
    }
    if (group.rank() != 0) return;
    if (gathers() && most > 0) gathering_.taken(batch.count);
    served.rx = rx_.state();
    served.tx = tx_.state();
    served.count = batch.count;
    served.stopped = batch.stopped;
    if constexpr (P::kReceives) {
      if (batch.stopped) served.error = rx_.stop_error(batch);
    }
  }

  template <bool kFront, Block G>
  RS_DEVICE RxBatch receive(G& group, std::uint32_t most, Served& served) {
    RxBatch batch{};
    if constexpr (kFront) {
      constexpr bool kPriced = G::kLookThreads > 1 && !kTakesOver<P>;
      if (most > 0) batch = rx_.await(group, kPriced ? at_most(most, width_) : most);
    } else {
      batch = rx_.receive(group, most);
    }
    if (batch.count == 0) return batch;
    trace().mark(TraceKind::kSeen, group);
    if constexpr (kFront && kHasSendQueue && G::kLookThreads > 1) {
      if (batch.count == 1) {
        process_alone(group, batch, served);
        return batch;
      }
    }
    process(group, batch, served);
    return batch;
  }

  template <Block G>
  RS_DEVICE void process(G& group, const RxBatch& batch, Served& served) {
    std::uint32_t sums[kSums] = {};
    program_.begin_batch(group);
    process_together(group, batch);
    const std::uint32_t sent = send_batch(group, batch, sums);
    if constexpr (P::kSends) {
      group.sync();
      trace().mark(TraceKind::kWritten, group);
      if (sent > 0) tx_.post(group, sent);
      trace().mark(TraceKind::kRung, group);
    }
    program_.end_batch(group);  // behind the doorbell, which waits for nothing that this tells
    group.sum(sums);
    if (group.rank() == 0) note(served, batch, sent, sums);
  }

  /// A packet that came alone: the thread that knows it takes it to the doorbell without a word to
  /// the others, where each would cost a part of the way through.
  template <Block G>
  RS_DEVICE void process_alone(G& group, const RxBatch& batch, Served& served) {
    std::uint32_t sums[kSums] = {};
    program_.begin_batch(group);
    process_together(group, batch);
    const bool knows = rx_.own() == 0;
    bool sends = false;
    if (knows) {
      sends = judge(batch, 0, sums);
      trace().mark(TraceKind::kProcessed, group);
      if (sends) {
        write(batch, 0, 0, true);
        trace().mark(TraceKind::kWritten, group);
        tx_.announce(1);
        trace().mark(TraceKind::kRung, group);
      }
    }
    tx_.advance(group.any(sends) ? 1 : 0);
    program_.end_batch(group);
    if (knows) note(served, batch, sends ? 1 : 0, sums);
  }

  RS_DEVICE void note(Served& served, const RxBatch& batch, std::uint32_t sent,
                      const std::uint32_t (&sums)[kSums]) {
    served.sent = sent;
    for (std::uint32_t i = 0; i < kSums; ++i) served.sums[i] = sums[i];
    trace().batch(rx_, batch, tx_.state().posted, sent);
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
      // Whoever has learned of a packet goes on with it. There are no more packets than threads.
      const std::uint32_t i = rx_.own();
      const bool sends = i < batch.count && judge(batch, i, sums);
      const std::uint32_t place = group.exclusive_scan(sends, sent);
      trace().mark(TraceKind::kProcessed, group);
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
        trace().mark(TraceKind::kProcessed, group);
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
    } else if constexpr (P::kSends && kTakesSplit<P>) {
      if constexpr (kOffloads<P>) {
        tx_.write(place, rx_.packet(batch, i), last, program_.offload());
      } else {
        tx_.write(place, rx_.packet(batch, i), last);
      }
    } else if constexpr (P::kSends) {
      const Packet packet = rx_.packet(batch, i);
      if constexpr (kOffloads<P>) {
        tx_.write(place, packet.iova(), packet.length(), packet.slot(), last, program_.offload());
      } else {
        tx_.write(place, packet.iova(), packet.length(), packet.slot(), last);
      }
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
      if constexpr (kMakesFrames<P>) {
        program_.prepare(frame_at(buffers.iova[i]));
      } else {
        write_udp_frame(frame_at(buffers.iova[i]), stream_.program);
      }
    }
  }

  RS_DEVICE std::uint8_t* frame_at(std::uint64_t iova) const {
    return reinterpret_cast<std::uint8_t*>(
        iova + static_cast<std::uint64_t>(stream_.tx_buffers.view_offset));
  }

  /// Frames that can be made: those in flight are the NIC's.
  RS_DEVICE std::uint32_t frame_room() const {
    const std::uint32_t free = stream_.tx_buffers.count - tx_.in_flight();
    return at_most(free, tx_.room());
  }

  /// Sends up to `most` frames of its own; returns how many.
  template <Block G>
  RS_DEVICE std::uint32_t generate(G& group, std::uint32_t most, Served& served) {
    std::uint32_t count = to_generate_ < most ? static_cast<std::uint32_t>(to_generate_) : most;
    if constexpr (kMakesFrames<P>) {
      count = program_.begin_frames(group, at_most(count, frame_room()));
    }
    if (count == 0) return 0;
    const TxBuffers& buffers = stream_.tx_buffers;
    const std::uint32_t first = static_cast<std::uint32_t>(tx_.posted() % buffers.count);
    const auto iova = [&](std::uint32_t i) { return buffers.iova[(first + i) % buffers.count]; };
    std::uint32_t bytes[1] = {count * stream_.program.packet_length};
    if constexpr (kMakesFrames<P>) {
      bytes[0] = 0;
      for (std::uint32_t i = group.rank(); i < count; i += group.size()) {
        bytes[0] += program_.make(i, frame_at(iova(i)));
      }
      group.sum(bytes);
    }
    const auto packet_of = [&](std::uint32_t i) {
      if constexpr (kMakesFrames<P>) {
        return TxPacket{iova(i), program_.length(i)};
      } else {
        return TxPacket{iova(i), stream_.program.packet_length};
      }
    };
    write_own(group, count, packet_of);
    group.sync();
    tx_.post(group, count);
    if (group.rank() == 0) {
      served.sent = count;
      served.sums[kTxBytes] = bytes[0];
    }
    return count;
  }

  template <Block G, class PacketOf>
  RS_DEVICE void write_own(G& group, std::uint32_t count, PacketOf packet_of) {
    if constexpr (kMakesFrames<P> && kOffloads<P>) {
      const TxOffload& offload = program_.offload();
      if (offload.any()) {
        return tx_.write_all(group, count, [&](std::uint32_t i) {
          const TxPacket packet = packet_of(i);
          return TxGather<1>{.offload = offload}.add({packet.iova, packet.length});
        });
      }
    }
    tx_.write_all(group, count, packet_of);
  }

  /// All that packets do not wait for.
  template <Block G>
  RS_DEVICE void tend(G& back, Tended& tended) {
    const bool asks = passes_ % kPassesAnExitLook == 0 && back.rank() == back.size() - 1;
    const bool end = asks && exit_is_set();  // on its way while the CQEs are
    // Nothing can come when all is sent; a look would only stand in the way of those that wait. But
    // a kernel that packets are handed to may close at any time.
    if (kHandsOver<P> || tx_.in_flight() > 0) look_at_sends(back);
    const bool over = back.any(end) || seen_.stopped;
    if (back.rank() == 0) {
      report_.phase(tx_.room() > 0 ? BlockPhase::kReceiving : BlockPhase::kWaitingForSendRoom);
    }
    const bool has_work = untidy_ > 0 || seen_.cq_consumed != tx_.progress().cq_consumed;
    // While packets come, they are not disturbed by this before an eighth of a ring has gathered:
    // its fences stand in the way of theirs.
    const bool is_due = quiet_ >= kQuietPasses || untidy_ >= tidy_after() ||
                        tx_.room() < tx_.depth() / 2 || rx_.kept() > 6 * tidy_after();
    const bool tidies = has_work && is_due && !over;
    if (tidies) tidy_up(back);
    trace().answer_clock(back);
    if (back.rank() == 0) {
      tended = {rx_.state(), tx_.state(), tidies, tidies || !has_work, over};
    }
  }

  template <Block G>
  RS_DEVICE void look_at_sends(G& back) {
    const TxProgress before = seen_;
    tx_.look(back, seen_);
    trace().sends(back, before, seen_);
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
    const std::uint64_t consumed = tx_.progress().cq_consumed;
    const std::uint32_t sent = tx_.retire(back, seen_, rx_);
    if (back.rank() != 0) return;
    report_.add(&StreamCounters::tx_completed, sent);
    if constexpr (kHasSendQueue) {
      report_.add(&StreamCounters::tx_cqes, seen_.cq_consumed - consumed);
    }
    if (!seen_.stopped) return;
    const std::uint32_t lost = before - sent;
    report_.add(&StreamCounters::tx_bytes, std::uint64_t{0} - bytes_lost);
    report_.add(&StreamCounters::tx_errors, lost);
    report_.add_drops(DropCause::kTxQueueDown, lost);
  }

  /// Says how it ended, unless it goes on.
  template <Block G>
  RS_DEVICE void end(G& back) {
    drain(back);
    if (stream_.recovers) {
      const bool recovers = recover(back);
      if (back.rank() == 0) shared_.ended.goes_on = recovers;
      if (recovers) return;
    }
    if constexpr (kTakesOver<P>) {
      // Not when it was told to end: the kernel before has ended then, and what the NIC has yet to
      // send is not finished.
      if (seen_.stopped) rx_.close(back);
    }
    if (back.rank() != 0) return;
    if (rx_stopped_ || seen_.stopped) {
      report_.failed(first_error());
    } else {
      report_.finished();
    }
  }

  /// The one to name. Rank 0 of the back.
  RS_DEVICE QueueStop first_error() const {
    if (rx_stopped_) return {kRecoverReceive, shared_.meeting[(passes_ - 1) & 1U].served.error};
    return {kRecoverSend, seen_.error};
  }

  /// Has the CPU reset what has stopped (lib/mlx5/format/recovery.hpp); false: there is nothing to
  /// recover, or no way to.
  template <Block G>
  RS_DEVICE bool recover(G& back) {
    // Who takes packets over may still use slots of the receive queue, or has closed for good.
    const bool sends_stopped = seen_.stopped || tx_.in_flight() > 0;
    if (!(rx_stopped_ || seen_.stopped) || (!kHasSendQueue && sends_stopped)) return false;
    const RecoveryWords words{&stream_.status->recovery, &stream_.control->recovery};
    const auto told_to_end = [this] { return exit_is_set(); };
    std::uint32_t turn = 0;
    bool answered = false;
    if (back.rank() == 0) {
      report_.awaits_recovery();
      turn = request_recovery(
          words, first_error(),
          (rx_stopped_ ? kRecoverReceive : 0) | (sends_stopped ? kRecoverSend : 0));
      answered = await_answer(back, words, &words.answer->reset, turn, told_to_end);
    }
    if (!back.broadcast(answered)) return false;
    empty(back, sends_stopped);
    back.sync();
    if (back.rank() == 0) {
      tell_emptied(words, turn);
      answered = await_answer(back, words, &words.answer->ready, turn, told_to_end);
    }
    if (!back.broadcast(answered)) return false;
    if constexpr (kHasReceiveQueue) {
      if (rx_stopped_) rx_.begin_again(shared_.ended.rx_cq_offset);
    }
    rx_.give_back(back);
    if (back.rank() == 0) shared_.ended.rx = rx_.state();
    return true;
  }

  /// Queues in reset, as new ones are. The NIC touches no packet of theirs any more, so those that
  /// it had not sent in time are given up now.
  template <Block G>
  RS_DEVICE void empty(G& back, bool sends_stopped) {
    if (sends_stopped && !seen_.stopped) {
      seen_.stopped = true;
      retire(back);
      if (back.rank() == 0) report_.store_counters();
      back.sync();
    }
    if (back.rank() == 0) shared_.ended.tx = tx_.state();
    if constexpr (kHasSendQueue) {
      if (sends_stopped && back.rank() == 0) {
        shared_.ended.tx = empty_sends(stream_.tx, seen_.cq_consumed);
      }
    }
    if constexpr (kHasReceiveQueue) {
      if (!rx_stopped_) return;
      const std::uint64_t cq_offset = empty_receives(back, stream_.rx, rx_.cq_consumed());
      if (back.rank() != 0) return;
      shared_.ended.rx_cq_offset = cq_offset;
      store_relaxed_system(&stream_.status->recovery.rx_cq_offset, cq_offset);
    }
  }

  /// Does the loop begin anew? Then each thread learns how the queues are.
  RS_DEVICE bool goes_on() {
    if (!stream_.recovers) return false;
    block_.sync();
    const Ended& ended = shared_.ended;
    if (!ended.goes_on) return false;
    if constexpr (kHasReceiveQueue) {
      if (rx_stopped_) rx_.begin_again(ended.rx_cq_offset);
    }
    rx_.join(ended.rx);
    tx_.join(ended.tx);
    seen_ = tx_.progress();
    rx_stopped_ = false;
    count_ = untidy_ = quiet_ = 0;
    return true;
  }

  /// Awaits the sends in flight, up to the deadline, and gives the slots back.
  template <Block G>
  RS_DEVICE void drain(G& back) {
    if (back.rank() == 0) report_.phase(BlockPhase::kDraining);
    const std::uint64_t start = back.now_ns();
    const auto is_over = [&] { return back.now_ns() - start >= stream_.drain_ns; };
    retire(back);
    // A stopped send queue has nothing in flight any more; its other CQEs are for its recovery.
    while (tx_.in_flight() > 0) {
      const std::uint32_t before = tx_.in_flight();
      look_at_sends(back);
      retire(back);
      if (back.broadcast(is_over())) break;
      if (tx_.in_flight() == before) back.idle([&] { return is_over() || tx_.ready(); });
    }
    back.sync();
    rx_.give_back(back);
    if (back.rank() != 0 || !rx_stopped_) return;
    // What a queue is flushed of was never received; any other error is of a packet.
    const auto syndrome = static_cast<CqeSyndrome>(first_error().error.syndrome);
    if (syndrome != CqeSyndrome::kWorkRequestFlushed) report_.add(&StreamCounters::rx_errors, 1);
  }

  B& block_;
  const StreamArgs& stream_;
  Shared& shared_;
  Rx rx_;
  Tx tx_;
  StreamReport report_;
  TxProgress seen_;  // of the send queue, by the back; retire() takes it in
  State program_;
  Gathering gathering_;         // rank 0's
  std::uint64_t due_ns_;        // rank 0's, of a send queue with a rate: when the next frame is
  std::uint32_t due_part_ = 0;  // 2^-16 ns
  std::uint64_t to_generate_ = 0;
  std::uint32_t passes_ = 0;
  std::uint32_t count_ = 0;   // what the last pass took
  std::uint32_t untidy_ = 0;  // what was taken since tidy_up()
  std::uint32_t quiet_ = 0;   // passes since then
  std::uint32_t width_ = 1;   // CQEs that the front looks at
  bool together_ = false;     // packets came so, when they came last
  bool many_ = false;
  bool rx_stopped_ = false;
};

template <Program P, Block B>
RS_DEVICE void forward(B& block, const StreamArgs& stream) {
  ForwardLoop<P, B>(block, stream).run();
}

}  // namespace ringside
