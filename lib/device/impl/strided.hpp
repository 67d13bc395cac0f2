// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/strided.hpp
#pragma once

#include "lib/device/impl/program_state.hpp"
#include "lib/device/impl/stream_report.hpp"
#include "lib/device/memory.hpp"
#include "lib/device/recovery.hpp"
#include "lib/device/strided.hpp"
#include "lib/device/striding_queue.hpp"

namespace ringside {

template <Program P, WholeBlock B>
class StridedLoop {
 public:
  RS_DEVICE StridedLoop(B& block, const StreamArgs& stream)
      : block_(block),
        stream_(stream),
        queue_({stream.rx, stream.strides}),
        report_(block.template shared<StreamReport::Shared>(), stream),
        program_(block, stream.program) {}

  RS_DEVICE void run() {
    if (speaks()) {
      report_.begin();
      report_.phase(BlockPhase::kReceiving);
    }
    block_.sync();
    RxBatch batch{};
    do {
      while (pass(batch)) {
      }
    } while (batch.stopped && goes_on(queue_.stop_error(batch)));
    if (batch.stopped || !speaks()) return;
    report_.finished();
  }

 private:
  static_assert(P::kReceives && !P::kSends && !kTakesOver<P> && !kHandsOver<P>);
  /// How long a look waits for a packet, and so the exit word for a look.
  static constexpr std::uint64_t kLookNs = 100'000;
  static constexpr std::uint32_t kPassesAnExitLook = 8;
  enum Sum { kRxBytes, kPackets, kBad, kConsumed, kDropped, kSums };

  /// The one thread that speaks to the CPU.
  RS_DEVICE bool speaks() const { return block_.rank() == 0; }
  RS_DEVICE bool exit_is_set() const { return load_relaxed_system(&stream_.control->exit) != 0; }

  /// false: it is over.
  RS_DEVICE bool pass(RxBatch& batch) {
    batch = queue_.receive(block_, wanted());
    if (batch.count > 0) process(batch);
    if (batch.stopped) return false;
    const bool waits = batch.count == 0 || gathers();
    if (!waits && ++passes_ % kPassesAnExitLook != 0) return true;
    if (speaks()) report_.store_counters();
    return !block_.any(speaks() && exit_is_set());
  }

  RS_DEVICE bool gathers() const {
    if constexpr (kGathers<P>) return program_.gather_ns() != 0;
    return false;
  }

  RS_DEVICE RxWant wanted() {
    if constexpr (kGathers<P>) {
      const std::uint64_t gather_ns = program_.gather_ns();
      if (gather_ns != 0) return {stream_.burst, stream_.burst, gather_ns};
    }
    return {1, stream_.burst, kLookNs};
  }

  RS_DEVICE void process(const RxBatch& batch) {
    std::uint32_t sums[kSums] = {};
    program_.begin_batch(block_);
    for (std::uint32_t i = block_.rank(); i < batch.count; i += block_.size()) {
      judge(batch, i, sums);
      queue_.release(queue_.slot(batch, i));
    }
    program_.end_batch(block_);
    block_.sum(sums);  // a barrier, behind all that was done to the packets
    queue_.give_back(block_);
    if (!speaks()) return;
    report_.add(&StreamCounters::batches, 1);
    report_.add(&StreamCounters::rx_packets, sums[kPackets]);
    report_.add(&StreamCounters::rx_bytes, sums[kRxBytes]);
    report_.add(&StreamCounters::rx_errors, sums[kBad]);
    report_.add(&StreamCounters::consumed, sums[kConsumed]);
    report_.add_drops(DropCause::kProgram, sums[kDropped]);
  }

  RS_DEVICE void judge(const RxBatch& batch, std::uint32_t i, std::uint32_t (&sums)[kSums]) {
    if (!queue_.is_packet(batch, i)) {
      sums[kBad] += queue_.is_filler(batch, i) ? 0U : 1U;
      return;
    }
    const Packet packet = queue_.packet(batch, i);
    ++sums[kPackets];
    sums[kRxBytes] += packet.length();
    ++sums[program_.process(packet, i) == Verdict::kConsume ? kConsumed : kDropped];
  }

  /// The queue has stopped. false: it stays so, and the CPU was told.
  RS_DEVICE bool goes_on(const QueueError& error) {
    const QueueStop stop{kRecoverReceive, error};
    // What a queue is flushed of was never received; any other error is of a packet.
    const bool lost = static_cast<CqeSyndrome>(error.syndrome) != CqeSyndrome::kWorkRequestFlushed;
    if (speaks()) {
      report_.add(&StreamCounters::rx_errors, lost ? 1 : 0);
      if (stream_.recovers) report_.awaits_recovery();
    }
    const RecoveryWords words{&stream_.status->recovery, &stream_.control->recovery};
    if (stream_.recovers && recover(
                                block_, words, stop, [this] { return exit_is_set(); }, queue_)) {
      if (speaks()) report_.phase(BlockPhase::kReceiving);
      return true;
    }
    if (speaks()) report_.failed(stop);
    return false;
  }

  B& block_;
  const StreamArgs& stream_;
  StridingReceiveQueue queue_;
  StreamReport report_;
  StateOf<P, B> program_;
  std::uint32_t passes_ = 0;
};

template <Program P, WholeBlock B>
RS_DEVICE void serve_strides(B& block, const StreamArgs& stream) {
  StridedLoop<P, B>(block, stream).run();
}

}  // namespace ringside
