// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A block's words to the CPU: counters, phase, and what stopped it. Rank 0 writes; the calls of the
// other threads do nothing.
#pragma once

#include "lib/device/memory.hpp"
#include "lib/device/queue_error.hpp"
#include "lib/device/stream.hpp"

namespace ringside {

class StreamReport {
 public:
  RS_DEVICE StreamReport(const StreamArgs& stream, bool writes)
      : to_(stream.counters),
        status_(stream.status),
        writes_(writes),
        counters_(*stream.counters) {}

  /// To count in, any thread; those of rank 0 are stored.
  RS_DEVICE StreamCounters& counters() { return counters_; }

  /// Relaxed: the CPU may see it early or late, and no other word depends on it.
  RS_DEVICE void phase(BlockPhase phase) {
    if (!writes_ || phase == phase_) return;
    phase_ = phase;
    store_relaxed_system(&status_->phase, phase);
  }

  RS_DEVICE void store_counters() const {
    if (!writes_) return;
    store_relaxed_system(&to_->rx_packets, counters_.rx_packets);
    store_relaxed_system(&to_->rx_bytes, counters_.rx_bytes);
    store_relaxed_system(&to_->rx_errors, counters_.rx_errors);
    store_relaxed_system(&to_->consumed, counters_.consumed);
    for (std::uint32_t cause = 0; cause < static_cast<std::uint32_t>(DropCause::kCount); ++cause) {
      store_relaxed_system(&to_->dropped[cause], counters_.dropped[cause]);
    }
    store_relaxed_system(&to_->tx_packets, counters_.tx_packets);
    store_relaxed_system(&to_->tx_bytes, counters_.tx_bytes);
    store_relaxed_system(&to_->tx_generated, counters_.tx_generated);
    store_relaxed_system(&to_->tx_completed, counters_.tx_completed);
    store_relaxed_system(&to_->tx_errors, counters_.tx_errors);
    store_relaxed_system(&to_->batches, counters_.batches);
  }

  /// Release: a CPU that reads kFinished (acquire) reads the last counters after it.
  RS_DEVICE void finished() const { end(BlockPhase::kFinished); }

  /// The same for kFailed and the error.
  RS_DEVICE void failed(const QueueError& error, bool on_send) const {
    if (!writes_) return;
    store_relaxed_system(&status_->error_syndrome, std::uint32_t{error.syndrome});
    store_relaxed_system(&status_->error_vendor, std::uint32_t{error.vendor});
    store_relaxed_system(&status_->error_on_send, std::uint32_t{on_send});
    store_relaxed_system(&status_->error_wqe_counter, std::uint32_t{error.wqe_counter});
    end(BlockPhase::kFailed);
  }

 private:
  RS_DEVICE void end(BlockPhase phase) const {
    store_counters();
    if (writes_) store_release_system(&status_->phase, phase);
  }

  StreamCounters* const to_;
  StreamStatus* const status_;
  const bool writes_;
  StreamCounters counters_;
  BlockPhase phase_ = BlockPhase::kNotStarted;
};

}  // namespace ringside
