// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the forwarding loop does with a batch of packets: runs the program on each, and sends.
#pragma once

#include <cstdint>

#include "lib/device/impl/forward_meeting.hpp"
#include "lib/device/impl/forward_queues.hpp"

namespace ringside {

/// Calls that take a group are collective in it: it has the batch's packets in hand.
template <Program P, WholeBlock B>
class ForwardBatch {
 public:
  /// `rings_later`: the loop rings for what process() has written; never where not kMayRingLater.
  RS_DEVICE ForwardBatch(ForwardParts<P, B>& parts, const RxBatch& batch, bool rings_later)
      : parts_(parts), batch_(batch), rings_later_(rings_later) {}

  /// `served`: rank 0 notes there what came of it.
  template <Block G>
  RS_DEVICE void process(G& group, Served& served) {
    Served::Sums sums = {};
    parts_.program.begin_batch(group);
    process_together(group);
    const std::uint32_t sent = send_batch(group, sums);
    post(group, sent);
    parts_.program.end_batch(group);  // no doorbell waits for any of this
    group.sum(sums);
    if (group.rank() != 0) return;
    note(served, sent, sums);
    served.unrung = rings_later_ && sent > 0;
  }

  /// A packet that came alone: the thread that knows it takes it to the doorbell without a word to
  /// the others, where each would cost a part of the way through.
  template <Block G>
  RS_DEVICE void process_alone(G& group, Served& served) {
    Served::Sums sums = {};
    parts_.program.begin_batch(group);
    // What the one thread noted of the packet, it may have noted behind the last vote.
    if constexpr (ProcessesTogether<P, G>) group.sync();
    process_together(group);
    const bool knows = parts_.rx.own() == 0;
    bool sends = false;
    if (knows) {
      sends = judge(0, sums);
      parts_.trace.mark(TraceKind::kProcessed, group);
      if (sends) {
        write(0, 0, true);
        parts_.trace.mark(TraceKind::kWritten, group);
        parts_.tx.announce(1);
        parts_.rx.hold(batch_, 0);  // behind the doorbell, whose fences would wait for it
        parts_.trace.mark(TraceKind::kRung, group);
      }
    }
    parts_.tx.advance(group.any(sends) ? 1 : 0);
    parts_.program.end_batch(group);
    if (knows) note(served, sends ? 1 : 0, sums);
  }

 private:
  static constexpr std::uint32_t kRunBits = 64;
  static constexpr std::uint32_t kWarp = 32;

  RS_DEVICE void note(Served& served, std::uint32_t sent, const Served::Sums& sums) {
    served.sent = sent;
    for (std::uint32_t i = 0; i < Served::kSums; ++i) served.sums[i] = sums[i];
    parts_.trace.batch(parts_.rx, batch_, parts_.tx.state().posted, sent);
  }

  /// Hands over what was written, or leaves that to the loop.
  template <Block G>
  RS_DEVICE void post(G& group, std::uint32_t sent) {
    if constexpr (kMayRingLater<P, B>) {
      if (rings_later_) return parts_.tx.advance(sent);
    }
    if constexpr (P::kSends) {
      group.sync();
      parts_.trace.mark(TraceKind::kWritten, group);
      if (sent > 0) parts_.tx.post(group, sent);
      parts_.trace.mark(TraceKind::kRung, group);
    }
  }

  template <Block G>
  RS_DEVICE void process_together(G& group) {
    if constexpr (ProcessesTogether<P, G>) {
      const auto packet_at = [&](std::uint32_t i) {
        return parts_.rx.is_packet(batch_, i) ? parts_.rx.packet(batch_, i) : Packet::none();
      };
      P::process_together(group, batch_.count, packet_at, parts_.stream.program);
      group.sync();
    }
  }

  /// Runs the program on all packets and writes the WQEs of those that it sends, in the order
  /// received. Returns how many.
  template <Block G>
  RS_DEVICE std::uint32_t send_batch(G& group, Served::Sums& sums) {
    std::uint32_t sent = 0;
    if constexpr (G::kLookThreads > 1) {
      // Whoever has learned of a packet goes on with it. There are no more packets than threads.
      const std::uint32_t i = parts_.rx.own();
      const bool sends = i < batch_.count && judge(i, sums);
      const std::uint32_t place = group.exclusive_scan(sends, sent);
      parts_.trace.mark(TraceKind::kProcessed, group);
      send_own(group, i, sends, place, place + 1 == sent);
    } else {
      // Each thread has a run of neighbours, so that one scan over the threads gives every packet
      // its place. A round is what a thread can remember as bits.
      const std::uint32_t widest = kRunBits * group.size();
      for (std::uint32_t round = 0; round < batch_.count; round += widest) {
        const std::uint32_t count = at_most(batch_.count - round, widest);
        const std::uint32_t run = (count + group.size() - 1) / group.size();
        const std::uint32_t first = round + at_most(group.rank() * run, count);
        const std::uint32_t end = round + at_most((group.rank() + 1) * run, count);
        std::uint64_t to_send = 0;
        std::uint32_t sends = 0;
        for (std::uint32_t i = first; i < end; ++i) {
          if (!judge(i, sums)) continue;
          to_send |= std::uint64_t{1} << (i - first);
          ++sends;
        }
        std::uint32_t total = 0;
        std::uint32_t place = sent + group.exclusive_scan(sends, total);
        parts_.trace.mark(TraceKind::kProcessed, group);
        for (std::uint32_t i = first; i < end; ++i) {
          if ((to_send >> (i - first) & 1U) == 0) continue;
          parts_.rx.hold(batch_, i);
          write(i, place, place + 1 == sent + total);
          ++place;
        }
        sent += total;
      }
    }
    return sent;
  }

  /// Holds and writes the packet that this thread knows, if it `sends` it. Collective in each warp.
  template <Block G>
  RS_DEVICE void send_own(const G& group, std::uint32_t i, bool sends, std::uint32_t place,
                          bool last) {
    constexpr bool kWhole = kHasReceiveQueue<P> && kHasSendQueue<P> && !kTakesSplit<P>;
    if constexpr (kWhole && !kOffloads<P> && !kTraces<P>) {
      // What crosses PCIe counts where packets are many; else the steps of one thread do.
      if (group.size() > kWarp && !parts_.stream.tx.in_gpu_memory) {
        if (sends) parts_.rx.hold(batch_, i);
        const Packet packet = sends ? parts_.rx.packet(batch_, i) : Packet::none();
        parts_.tx.template write_of_warp<G::kLookThreads>(sends, place, packet, last);
        return;
      }
    }
    if (!sends) return;
    parts_.rx.hold(batch_, i);
    write(i, place, last);
  }

  /// `place`: among those that are sent. `last`: of these.
  RS_DEVICE void write(std::uint32_t i, std::uint32_t place, bool last) {
    if constexpr (kHandsOver<P>) {
      parts_.tx.write(place, parts_.rx.packet(batch_, i), parts_.program.note(i));
    } else if constexpr (P::kSends && kTakesSplit<P>) {
      if constexpr (kOffloads<P>) {
        parts_.tx.write(place, parts_.rx.packet(batch_, i), last, parts_.program.offload());
      } else {
        parts_.tx.write(place, parts_.rx.packet(batch_, i), last);
      }
    } else if constexpr (P::kSends) {
      const Packet packet = parts_.rx.packet(batch_, i);
      if constexpr (kOffloads<P>) {
        parts_.tx.write(place, packet.iova(), packet.length(), packet.slot(), last,
                        parts_.program.offload());
      } else {
        parts_.tx.write(place, packet.iova(), packet.length(), packet.slot(), last);
      }
    }
  }

  /// Runs the program on completion i. true: to be sent, and its slot is to be held until it is.
  RS_DEVICE bool judge(std::uint32_t i, Served::Sums& sums) {
    const auto packet = parts_.rx.packet(batch_, i);
    if (!parts_.rx.is_packet(batch_, i)) {
      if constexpr (kTakesStrides<P>) {
        sums[Served::kBad] += parts_.rx.is_filler(batch_, i) ? Served::kFiller : 1;
      } else {
        ++sums[Served::kBad];
      }
      parts_.rx.pass_over(packet.slot());
      return false;
    }
    sums[Served::kRxBytes] += packet.length();
    const Verdict verdict = parts_.program.process(packet, i);
    if (verdict == Verdict::kSend) {
      sums[Served::kTxBytes] += packet.length();
      return true;
    }
    ++sums[verdict == Verdict::kConsume ? Served::kConsumed : Served::kDropped];
    parts_.rx.pass_over(packet.slot());
    return false;
  }

  ForwardParts<P, B>& parts_;
  const RxBatch& batch_;
  const bool rings_later_;
};

}  // namespace ringside
