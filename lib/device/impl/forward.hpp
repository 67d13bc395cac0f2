// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/forward.hpp
#pragma once

#include <type_traits>

#include "lib/device/forward.hpp"
#include "lib/device/impl/look.hpp"
#include "lib/device/impl/no_queue.hpp"
#include "lib/device/impl/stream_report.hpp"
#include "lib/device/memory.hpp"
#include "lib/device/rx.hpp"
#include "lib/device/tx.hpp"
#include "lib/device/udp_frame.hpp"

namespace ringside {

/// All threads hold the same values and take the same branches; what may change under them, one
/// thread looks at and tells the others. In one class, since a batch's steps share the barriers
/// between them.
///
/// What a packet waits for comes first: a look at both completion queues, the program, the send.
/// What it leaves behind (slots to give back, completions to take in, counters) is tidied up when
/// nothing has come for some passes, or when it has become an eighth of a ring.
template <Program P, Block B>
class ForwardLoop {
 public:
  RS_DEVICE ForwardLoop(B& block, const StreamArgs& stream)
      : block_(block),
        stream_(stream),
        sights_(block.template shared<Sights>()),
        rx_(block, stream.rx),
        tx_(stream.tx),
        report_(stream, block.rank() == block.size() - 1),
        width_(at_most(B::kFirstLook, widest_look())),
        seen_(tx_.progress()) {}

  RS_DEVICE void run() {
    if constexpr (P::kSends) {
      to_generate_ = P::kReceives ? stream_.first_burst : kEndless;
      if (to_generate_ > 0) write_frames();
    }
    report_.phase(BlockPhase::kReceiving);
    while (pass()) {
    }
    drain();
    if (failed_) {
      report_.failed(error_, error_on_send_);
    } else {
      report_.finished();
    }
  }

 private:
  using Rx = std::conditional_t<P::kReceives, RxQueue, NoRxQueue>;
  using Tx = std::conditional_t<P::kSends, TxQueue, NoTxQueue>;
  static constexpr std::uint64_t kEndless = ~std::uint64_t{0};
  static constexpr std::uint32_t kRunBits = 64;

  static constexpr std::uint32_t kPassesALook = 8;  // while it generates
  static constexpr std::uint32_t kPassesAnExitLook = 16;
  static constexpr std::uint32_t kQuietPasses = 4;

  /// What one pass saw. Two in turn: a thread may still read one while others fill the next.
  struct Sights {
    struct Sight {
      CqeTail sends[Tx::kLooks == 0 ? 1 : Tx::kLooks];
      bool end;
    };
    Sight turn[2];
  };

  /// What a batch came to, summed over the threads.
  enum Sum { kRxBytes, kBad, kConsumed, kDropped, kTxBytes, kSums };

  /// One round of the loop; false: it is over.
  RS_DEVICE bool pass() {
    const std::uint32_t most = at_most(tx_.room(), stream_.burst);
    const bool receives = P::kReceives && to_generate_ == 0;
    // Frames of its own wait for nobody: with room for many, few passes look.
    const bool looks = receives || tx_.room() < tx_.depth() / 2 || passes_ % kPassesALook == 0;
    std::uint32_t found = 0;
    if (looks) {
      found = look_around(receives ? at_most(most, width_) : 0);
    } else {
      ++passes_;
    }
    if (seen_.stopped || ended_) return false;  // nothing is accepted; drain() takes in the rest
    std::uint32_t moved = 0;
    if (!receives) {
      if constexpr (P::kSends) moved = most > 0 ? generate(most) : 0;
    } else {
      if constexpr (P::kReceives) moved = receive(found);
    }
    if (failed_) return false;
    untidy_ += moved;
    quiet_ = moved > 0 ? 0 : quiet_ + 1;
    const bool has_work = untidy_ > 0 || seen_.cq_consumed != tx_.progress().cq_consumed;
    if (has_work && most > 0 && untidy_ < tidy_after() && quiet_ < kQuietPasses) return true;
    if (has_work) tidy_up();
    if (most == 0) {
      await_room();
    } else if (moved == 0) {
      width_ = at_most(B::kFirstLook, widest_look());
      block_.idle([this] { return exit_is_set() || rx_.ready() || tx_.ready(); });
    }
    return true;
  }

  /// Looks at the completions of both queues and, now and then, at the exit word. Returns what the
  /// receive queue may accept.
  RS_DEVICE std::uint32_t look_around(std::uint32_t ahead) {
    typename Sights::Sight& sight = sights_.turn[passes_ & 1U];
    // A thread that seldom looks at CQEs, so that this adds no round trip to theirs.
    if (block_.rank() == block_.size() - 1) {
      sight.end = passes_ % kPassesAnExitLook == 0 && exit_is_set();
    }
    const std::uint32_t found = look<Tx::kLooks>(
        block_, rx_, ahead, [this](std::uint32_t i) { return tx_.cqe_ahead(seen_, i); },
        sight.sends);
    for (const CqeTail& tail : sight.sends) {
      if (!tx_.take(seen_, tail)) break;
    }
    ended_ = sight.end;
    ++passes_;
    return found;
  }

  /// CQEs that the block can look at in one go, besides those of sends.
  RS_DEVICE std::uint32_t widest_look() const {
    return B::kLookThreads == 1 ? kMaxBatch : block_.size() / B::kLookThreads - Tx::kLooks;
  }

  RS_DEVICE std::uint32_t tidy_after() const {
    const std::uint32_t depth =
        P::kReceives ? at_most(1U << stream_.rx.log_depth, tx_.depth()) : tx_.depth();
    return depth / 8;
  }

  /// All that a packet does not wait for.
  RS_DEVICE void tidy_up() {
    retire();
    block_.sync();
    rx_.give_back(block_);
    report_.store_counters();
    untidy_ = 0;
  }

  RS_DEVICE void await_room() {
    if (tx_.room() > 0) return;
    report_.phase(BlockPhase::kWaitingForSendRoom);
    block_.idle([this] { return exit_is_set() || tx_.ready(); });
  }

  RS_DEVICE static std::uint32_t at_most(std::uint32_t value, std::uint32_t most) {
    return value < most ? value : most;
  }

  RS_DEVICE bool exit_is_set() const { return load_relaxed_system(&stream_.control->exit) != 0; }

  /// Takes in what was seen of the send queue: what it has completed, or that it has stopped.
  RS_DEVICE void retire() {
    const std::uint32_t before = tx_.in_flight();
    if (seen_.stopped) report_.counters().tx_bytes -= tx_.bytes_lost(seen_);
    const std::uint32_t sent = tx_.retire(block_, seen_, rx_);
    report_.counters().tx_completed += sent;
    if (seen_.stopped) {
      const std::uint32_t lost = before - sent;
      report_.counters().tx_errors += lost;
      report_.counters().dropped[static_cast<std::uint32_t>(DropCause::kTxQueueDown)] += lost;
      fail(seen_.error, true);
    }
  }

  /// Receives what was found, processes and sends it. Returns how many completions it took.
  RS_DEVICE std::uint32_t receive(std::uint32_t found) {
    const RxBatch batch = rx_.accept(found);
    if (batch.count > 0) {
      process(batch);
      report_.phase(BlockPhase::kReceiving);
      // The next look reaches as far as twice what is coming now, so a burst is caught up with
      // in a few passes, and single packets cost few reads.
      const std::uint32_t twice = 2 * batch.count;
      width_ = at_most(twice > B::kFirstLook ? twice : B::kFirstLook, widest_look());
    }
    if (batch.stopped) fail(rx_.stop_error(batch), false);
    return batch.count;
  }

  RS_DEVICE void process(const RxBatch& batch) {
    std::uint64_t sums[kSums] = {};
    std::uint32_t sent = 0;
    // Each thread has a run of neighbours, so that one scan over the threads gives every packet its
    // place in the order received. A round is what a thread can remember as bits.
    const std::uint32_t widest = kRunBits * block_.size();
    for (std::uint32_t round = 0; round < batch.count; round += widest) {
      const std::uint32_t count = at_most(batch.count - round, widest);
      const std::uint32_t run = (count + block_.size() - 1) / block_.size();
      const std::uint32_t first = round + at_most(block_.rank() * run, count);
      const std::uint32_t end = round + at_most((block_.rank() + 1) * run, count);
      std::uint64_t to_send = 0;
      std::uint32_t sends = 0;
      for (std::uint32_t i = first; i < end; ++i) {
        if (!judge(batch, i, sums)) continue;
        to_send |= std::uint64_t{1} << (i - first);
        ++sends;
      }
      if constexpr (P::kSends) {
        std::uint32_t total = 0;
        std::uint32_t place = sent + block_.exclusive_scan(sends, total);
        for (std::uint32_t i = first; i < end; ++i) {
          if ((to_send >> (i - first) & 1U) == 0) continue;
          const Packet packet = rx_.packet(batch, i);
          tx_.write(place++, packet.iova(), packet.length(), packet.slot());
        }
        sent += total;
      }
    }
    if constexpr (P::kSends) {
      block_.sync();
      if (sent > 0) tx_.post(block_, sent);
    }
    block_.sum(sums);

    StreamCounters& counters = report_.counters();
    counters.rx_packets += batch.count - sums[kBad];
    counters.rx_bytes += sums[kRxBytes];
    counters.rx_errors += sums[kBad];
    counters.consumed += sums[kConsumed];
    counters.dropped[static_cast<std::uint32_t>(DropCause::kProgram)] += sums[kDropped];
    counters.tx_packets += sent;
    counters.tx_bytes += sums[kTxBytes];
    ++counters.batches;
  }

  /// Runs the program on completion i. true: to be sent.
  RS_DEVICE bool judge(const RxBatch& batch, std::uint32_t i, std::uint64_t (&sums)[kSums]) {
    const Packet packet = rx_.take(batch, i);
    if (!rx_.is_packet(batch, i)) {
      ++sums[kBad];
      rx_.release(packet.slot());
      return false;
    }
    sums[kRxBytes] += packet.length();
    const Verdict verdict = P::process(packet, stream_.program);
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
  RS_DEVICE std::uint32_t generate(std::uint32_t most) {
    const std::uint32_t count =
        to_generate_ < most ? static_cast<std::uint32_t>(to_generate_) : most;
    const TxBuffers& buffers = stream_.tx_buffers;
    const std::uint32_t length = stream_.program.packet_length;
    report_.phase(BlockPhase::kReceiving);
    for (std::uint32_t i = block_.rank(); i < count; i += block_.size()) {
      const std::uint64_t buffer = (tx_.posted() + i) % buffers.count;
      tx_.write(i, buffers.iova[buffer], length, kNoSlot);
    }
    block_.sync();
    tx_.post(block_, count);
    if (to_generate_ != kEndless) to_generate_ -= count;
    report_.counters().tx_packets += count;
    report_.counters().tx_generated += count;
    report_.counters().tx_bytes += std::uint64_t{count} * length;
    return count;
  }

  /// Awaits the sends in flight, up to the deadline, and gives the slots back.
  RS_DEVICE void drain() {
    report_.phase(BlockPhase::kDraining);
    const std::uint64_t start = block_.now_ns();
    const auto is_over = [&] { return block_.now_ns() - start >= stream_.drain_ns; };
    retire();
    // A stopped send queue has nothing in flight any more; its other CQEs are for its recovery.
    while (tx_.in_flight() > 0) {
      const std::uint32_t before = tx_.in_flight();
      look_around(0);
      retire();
      if (block_.broadcast(is_over())) break;
      if (tx_.in_flight() == before) block_.idle([&] { return is_over() || tx_.ready(); });
    }
    block_.sync();
    rx_.give_back(block_);
  }

  /// The first error is the one to name.
  RS_DEVICE void fail(const QueueError& error, bool on_send) {
    if (failed_) return;
    failed_ = true;
    error_ = error;
    error_on_send_ = on_send;
  }

  B& block_;
  const StreamArgs& stream_;
  Sights& sights_;
  Rx rx_;
  Tx tx_;
  StreamReport report_;
  std::uint32_t width_;  // CQEs ahead that a pass looks at
  TxProgress seen_;      // of the send queue; retire() takes it in
  std::uint32_t passes_ = 0;
  std::uint32_t quiet_ = 0;   // passes in which nothing came
  std::uint32_t untidy_ = 0;  // packets since tidy_up()
  bool ended_ = false;
  std::uint64_t to_generate_ = 0;
  bool failed_ = false;
  bool error_on_send_ = false;
  QueueError error_{};
};

template <Program P, Block B>
RS_DEVICE void forward(B& block, const StreamArgs& stream) {
  ForwardLoop<P, B>(block, stream).run();
}

}  // namespace ringside
