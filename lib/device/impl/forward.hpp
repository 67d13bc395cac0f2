// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/forward.hpp
#pragma once

#include <cstdint>

#include "lib/device/forward.hpp"
#include "lib/device/impl/forward_batch.hpp"
#include "lib/device/impl/forward_end.hpp"
#include "lib/device/impl/forward_frames.hpp"
#include "lib/device/impl/forward_meeting.hpp"
#include "lib/device/impl/forward_queues.hpp"
#include "lib/device/impl/forward_tending.hpp"
#include "lib/device/impl/gathering.hpp"
#include "lib/device/impl/pace.hpp"
#include "lib/device/memory.hpp"

namespace ringside {

/// In each pass of the loop a part of the block serves packets: it looks for them, runs the program
/// and sends. That is the front while they are no more than it can look at, who need no barrier of
/// the block, and the workers otherwise. At the same time the back tends to all that packets do not
/// wait for: completed sends, slots to give back, counters, the exit word; and the ringer hands
/// over what the pass before has written (kMayRingLater). Then all meet, and each thread learns
/// what the others did; where the parts are one, they do one after the other.
template <Program P, WholeBlock B>
class ForwardLoop {
 public:
  RS_DEVICE ForwardLoop(B& block, const StreamArgs& stream)
      : block_(block),
        stream_(stream),
        shared_(block.template shared<Shared>()),
        parts_(block, stream),
        tending_(shared_.report, stream, parts_.tx.progress()),
        pace_(block.now_ns()) {}

  RS_DEVICE void run() {
    frames_.begin(block_, parts_);
    if (tends()) {
      tending_.report().begin();
      tending_.report().phase(BlockPhase::kReceiving);
      parts_.trace.begin();
    }
    block_.sync();
    do {
      while (pass()) {
      }
      if (block_.in_back()) end();
    } while (goes_on());
  }

 private:
  static_assert(!kTraces<P> || (P::kReceives && P::kSends && !kTakesOver<P> && !kHandsOver<P>));
  static constexpr std::uint32_t kFcs = 4;
  static constexpr std::uint32_t kVlanTag = 4;
  static constexpr std::uint32_t kWidest = ~0U;
  /// Has a look at a CQE its price?
  template <Block G>
  static constexpr bool kLooksNarrowly = G::kLookThreads > 1 && !kTakesOver<P>;

  struct Shared {
    StreamReport::Shared report;
    Meeting meeting[2];
    ForwardEnd end;
  };

  /// One round of the loop; false: it is over.
  RS_DEVICE bool pass() {
    Meeting& meeting = shared_.meeting[passes_ & 1U];
    const bool by_workers = many_ || frames_.are_left();
    if (unrung_ && rings(by_workers)) ring();
    if (by_workers) {
      if (block_.in_workers()) serve<false>(block_.workers(), meeting.served);
    } else if (block_.in_front()) {
      auto&& front = block_.front();
      serve<true>(front, meeting.served);
    }
    if (block_.in_back()) {
      auto&& back = block_.back();
      tending_.tend(back, parts_, {passes_, untidy_, quiet_}, meeting.tended);
    }
    block_.sync();
    const Served& served = meeting.served;
    const Tended& tended = meeting.tended;
    parts_.rx.join({served.rx.received, tended.rx.released});
    parts_.tx.join({served.tx.posted, tended.tx.completed, tended.tx.cq_consumed});
    ++passes_;
    count_ = served.count;
    unrung_ = served.unrung;
    untidy_ = (tended.tidied ? 0 : untidy_) + count_;
    quiet_ = count_ > 0 ? 0 : quiet_ + 1;
    choose_width(served.follows);
    many_ = count_ >= front_limit() && workers_limit() > front_limit();
    if (count_ > 0 && tends()) tending_.add_up(served, frames_.are_left());
    if (is_paced() && count_ > 0) pace_.sent(wire_bytes(served), stream_.pace, block_.now_ns());
    if (frames_.are_left()) frames_.sent(count_);
    if (served.stopped || tended.end) return false;
    if (count_ == 0 && untidy_ == 0 && tended.at_rest) await_work();
    return true;
  }

  /// Is it this thread that rings, before anything else, for what the last pass wrote? One that
  /// serves no packets now.
  RS_DEVICE bool rings(bool by_workers) {
    if (by_workers) return block_.in_back() && block_.back().rank() == 0;
    return block_.in_ringer() && block_.ringer().rank() == 0;
  }
  /// Hands over what the last pass wrote: its barrier lies between those writes and this, so the
  /// release that announce() is covers them, the packets' bytes too. What others write meanwhile is
  /// behind the index that the NIC is told.
  RS_DEVICE void ring() {
    if constexpr (kMayRingLater<P, B>) parts_.tx.announce(0);
  }
  /// Does ring() gain time? Not where those that serve packets, or the back, would do it
  /// themselves.
  RS_DEVICE bool rings_later() const {
    if constexpr (kMayRingLater<P, B>) return block_.ringer_is_apart();
    return false;
  }

  /// The one thread that speaks to the CPU.
  RS_DEVICE bool tends() { return block_.in_back() && block_.back().rank() == 0; }

  RS_DEVICE bool is_paced() const {
    if constexpr (kHasSendQueue<P>) return stream_.pace != 0;
    return false;
  }
  /// In the block's rank 0.
  RS_DEVICE bool may_send() const { return !is_paced() || pace_.is_due(block_.now_ns()); }
  /// Of what was sent: with FCS, and the tag that the NIC puts into each frame.
  RS_DEVICE std::uint64_t wire_bytes(const Served& served) const {
    std::uint32_t more = kFcs;
    if constexpr (kOffloads<P>) more += parts_.program.offload().insert_vlan ? kVlanTag : 0;
    return std::uint64_t{served.sums[Served::kTxBytes]} + std::uint64_t{more} * served.sent;
  }

  /// In the block's rank 0: how much of `most` may be taken now?
  RS_DEVICE std::uint32_t gathered(std::uint32_t most) {
    if constexpr (kGathers<P>) {
      // A batch can be no larger than the ring.
      return gathering_.allowed(parts_.program.gather_ns(), block_.now_ns(),
                                at_most(most, 1U << stream_.rx.log_depth), [this](std::uint32_t i) {
                                  if constexpr (kTakesStrides<P>) {
                                    return parts_.rx.is_enough(i);
                                  } else {
                                    return parts_.rx.ready(i);
                                  }
                                });
    }
    return most;
  }
  RS_DEVICE bool gathers() const {
    if constexpr (kGathers<P>) return parts_.program.gather_ns() != 0;
    return false;
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
  RS_DEVICE void choose_width(bool follows) {
    if (count_ > 1 || (count_ == 1 && follows)) {
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
        return is_called_off(stream_) || parts_.tx.ready() ||
               (frames_.room(parts_) > 0 && may_send() && parts_.program.is_due(block_.now_ns()));
      });
    } else if (parts_.tx.room() == 0) {
      block_.idle([this] {
        return is_called_off(stream_) || parts_.tx.ready() || parts_.trace.is_asked();
      });
    } else if (!frames_.are_left()) {
      block_.idle([this] {
        return is_called_off(stream_) || (may_send() && parts_.rx.ready() && may_take()) ||
               parts_.tx.ready() || parts_.trace.is_asked();
      });
    }
  }
  RS_DEVICE bool may_take() {
    return !gathers() || gathered(at_most(parts_.tx.room(), stream_.burst)) > 0;
  }

  /// Takes what has come, processes and sends it; or sends frames of its own.
  template <bool kFront, Block G>
  RS_DEVICE void serve(G& group, Served& served) {
    std::uint32_t most = at_most(parts_.tx.room(), stream_.burst);
    if (group.rank() == 0) served.follows = served.unrung = false;
    if (is_paced() && !group.broadcast(may_send())) most = 0;
    if (gathers()) most = group.broadcast(group.rank() == 0 ? gathered(most) : 0);
    RxBatch batch{};
    if (frames_.are_left()) {
      if constexpr (kHasSendQueue<P>) batch.count = frames_.send(group, parts_, most, served);
    } else if constexpr (P::kReceives) {
      batch = receive<kFront>(group, most, served);
    }
    if (group.rank() != 0) return;
    if (gathers() && most > 0) gathering_.taken(batch.count);
    served.rx = parts_.rx.state();
    served.tx = parts_.tx.state();
    served.count = batch.count;
    served.stopped = batch.stopped;
    if constexpr (P::kReceives) {
      if (batch.stopped) served.error = parts_.rx.stop_error(batch);
    }
  }

  template <bool kFront, Block G>
  RS_DEVICE RxBatch receive(G& group, std::uint32_t most, Served& served) {
    RxBatch batch{};
    if constexpr (kFront) {
      if constexpr (kLooksNarrowly<G> && kHasSendQueue<P>) {
        // Not past a batch that waits for its doorbell: it rings at once. So while packets come one
        // a pass behind a batch, each of them is rung for by the next pass, until one finds none.
        if (most > 0 && width_ != kWidest && !unrung_) return receive_one(group, served);
      }
      if (most > 0) {
        batch = parts_.rx.await(group, kLooksNarrowly<G> ? at_most(most, width_) : most);
      }
    } else {
      // A CQE that is not there yet costs a read all the same.
      // Those of a batch that was gathered are there.
      const bool narrowly = kLooksNarrowly<G> && !gathers();
      batch = parts_.rx.receive(group, narrowly ? at_most(most, 2 * count_) : most);
    }
    if (batch.count == 0) return batch;
    parts_.trace.mark(TraceKind::kSeen, group);
    ForwardBatch<P, B> work(parts_, batch, rings_later());
    if constexpr (kFront && kTakesOver<P> && kHasSendQueue<P> && G::kLookThreads > 1) {
      if (batch.count == 1 && !unrung_) {
        work.process_alone(group, served);
        return batch;
      }
    }
    work.process(group, served);
    return batch;
  }

  /// While packets come alone: a way of its own, so that no step of the others' is in theirs.
  template <Block G>
  RS_DEVICE RxBatch receive_one(G& group, Served& served) {
    bool follows = false;
    const RxBatch batch = parts_.rx.await_one(group, width_, follows);
    if (batch.count == 0) return batch;
    parts_.trace.mark(TraceKind::kSeen, group);
    ForwardBatch<P, B>(parts_, batch, false).process_alone(group, served);
    if (width_ > 1) follows = group.any(follows);
    if (group.rank() == 0) served.follows = follows;
    return batch;
  }

  /// The loop is over: says so, or recovers what has stopped. The back.
  RS_DEVICE void end() {
    auto&& back = block_.back();
    ForwardEnd& end = shared_.end;
    if (back.rank() == 0) {
      if (unrung_) ring();
      const Served& last = shared_.meeting[(passes_ - 1) & 1U].served;
      end.rx = parts_.rx.state();
      end.tx = parts_.tx.state();
      end.seen = tending_.seen();
      if constexpr (kHasReceiveQueue<P>) end.rx_cq_offset = parts_.rx.cq_offset();
      if constexpr (kHasSendQueue<P>) end.sqn = parts_.tx.number();
      end.silent = load_relaxed_system(&stream_.control->recovery.silent);
      end.rx_error = last.stopped ? last.error : QueueError{};
      end.rx_stopped = last.stopped || (end.silent & kRecoverReceive) != 0;
    }
    back.sync();
    end_forward<P, decltype(block_.back())>(block_.back(), stream_, shared_.report, end);
  }

  /// Does the loop begin anew? Then each thread learns how the queues are.
  RS_DEVICE bool goes_on() {
    block_.sync();
    const ForwardEnd& end = shared_.end;
    if (!end.goes_on) return false;
    if constexpr (kHasReceiveQueue<P>) parts_.rx.begin_again(end.rx_cq_offset);
    if constexpr (kHasSendQueue<P>) parts_.tx.begin_again(end.sqn);
    parts_.rx.join(end.rx);
    parts_.tx.join(end.tx);
    tending_.begin_again(parts_);
    gathering_ = {};
    count_ = untidy_ = quiet_ = 0;
    width_ = 1;
    together_ = many_ = unrung_ = false;
    return true;
  }

  B& block_;
  const StreamArgs& stream_;
  Shared& shared_;
  ForwardParts<P, B> parts_;
  ForwardTending<P> tending_;  // the back's
  ForwardFrames<P> frames_;
  Gathering gathering_;  // rank 0's
  Pace pace_;
  std::uint32_t passes_ = 0;
  std::uint32_t count_ = 0;   // what the last pass took
  std::uint32_t untidy_ = 0;  // what was taken since the back has tidied up
  std::uint32_t quiet_ = 0;   // passes since then
  std::uint32_t width_ = 1;   // CQEs that the front looks at
  bool together_ = false;     // packets came so, when they came last
  bool many_ = false;
  bool unrung_ = false;  // what the last pass wrote waits for its doorbell
};

template <Program P, Block B>
RS_DEVICE void forward(B& block, const StreamArgs& stream) {
  ForwardLoop<P, B>(block, stream).run();
}

}  // namespace ringside
