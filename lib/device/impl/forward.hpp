// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/forward.hpp
#pragma once

#include <type_traits>

#include "lib/device/forward.hpp"
#include "lib/device/impl/no_queue.hpp"
#include "lib/device/impl/stream_report.hpp"
#include "lib/device/memory.hpp"
#include "lib/device/rx.hpp"
#include "lib/device/tx.hpp"
#include "lib/device/udp_frame.hpp"

namespace ringside {

/// All threads hold the same values and take the same branches; where they need to know something
/// that may change under them, rank 0 looks and tells the others. In one class, since a batch's
/// steps share the barriers between them.
template <Program P, Block B>
class ForwardLoop {
 public:
  RS_DEVICE ForwardLoop(B& block, const StreamArgs& stream)
      : block_(block),
        stream_(stream),
        rx_(stream.rx),
        tx_(stream.tx),
        report_(stream, block.rank() == 0) {}

  RS_DEVICE void run() {
    if constexpr (P::kSends) {
      to_generate_ = P::kReceives ? stream_.first_burst : kEndless;
      if (to_generate_ > 0) write_frames();
    }
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

  /// What rank 0 saw at the start of a pass.
  struct Look {
    TxProgress tx;
    bool end;
  };

  /// What a batch came to, summed over the threads.
  enum Sum { kRxBytes, kBad, kConsumed, kDropped, kTxBytes, kSums };

  /// One round of the loop; false: it is over.
  RS_DEVICE bool pass() {
    Look look{};
    if (block_.rank() == 0) look = {tx_.look(), exit_is_set()};
    look = block_.broadcast(look);
    const bool retired = retire(look.tx);
    if (failed_ || look.end) return false;

    const std::uint32_t most = at_most(tx_.room(), stream_.burst);
    if (most == 0) {
      report_.phase(BlockPhase::kWaitingForSendRoom);
      block_.idle([this] { return exit_is_set() || tx_.ready(); });
      return true;
    }
    std::uint32_t moved = 0;
    if (to_generate_ > 0) {
      if constexpr (P::kSends) moved = generate(most);
    } else {
      if constexpr (P::kReceives) moved = receive(most);
    }
    // The collectives since retire() are the barrier that give_back() needs.
    if (moved > 0 || retired) {
      rx_.give_back(block_);
      report_.store_counters();
    } else {
      block_.idle([this] { return exit_is_set() || rx_.ready() || tx_.ready(); });
    }
    return !failed_;
  }

  RS_DEVICE static std::uint32_t at_most(std::uint32_t value, std::uint32_t most) {
    return value < most ? value : most;
  }

  RS_DEVICE bool exit_is_set() const { return load_relaxed_system(&stream_.control->exit) != 0; }

  /// Takes in what the send queue has completed, or that it has stopped. true: some slots are free.
  RS_DEVICE bool retire(const TxProgress& progress) {
    const std::uint32_t before = tx_.in_flight();
    if (progress.stopped) report_.counters().tx_bytes -= tx_.bytes_lost(progress);
    const std::uint32_t sent = tx_.retire(block_, progress, rx_);
    report_.counters().tx_completed += sent;
    if (progress.stopped) {
      const std::uint32_t lost = before - sent;
      report_.counters().tx_errors += lost;
      report_.counters().dropped[static_cast<std::uint32_t>(DropCause::kTxQueueDown)] += lost;
      fail(progress.error, true);
    }
    return tx_.in_flight() != before;
  }

  /// Receives, processes and sends up to `most` packets. Returns how many completions it took.
  RS_DEVICE std::uint32_t receive(std::uint32_t most) {
    const RxBatch batch = rx_.receive(block_, most);
    if (batch.count > 0) {
      report_.phase(BlockPhase::kProcessing);
      process(batch);
    }
    report_.phase(BlockPhase::kReceiving);
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
    block_.sum(sums);
    if constexpr (P::kSends) {
      if (sent > 0) tx_.post(block_, sent);
    }

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
    report_.phase(BlockPhase::kProcessing);
    block_.sync();  // a WQE's place is written anew only after retire() has read who held it
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
    // A stopped send queue has nothing in flight any more; its other CQEs are for its recovery.
    while (tx_.in_flight() > 0) {
      Look look{};
      if (block_.rank() == 0) look = {tx_.look(), is_over()};
      look = block_.broadcast(look);
      const bool retired = retire(look.tx);
      if (look.end) break;
      if (!retired) block_.idle([&] { return is_over() || tx_.ready(); });
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
  Rx rx_;
  Tx tx_;
  StreamReport report_;
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
