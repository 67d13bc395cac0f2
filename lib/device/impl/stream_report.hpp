// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A block's words to the CPU: counters, phase, and what stopped it.
//
// One thread has it all, the back's first. What the rest of the block counts in a pass it hands
// over when all meet, so that no counter has two parties. In block-shared memory for its size only.
#pragma once

#include "lib/device/memory.hpp"
#include "lib/device/recovery.hpp"
#include "lib/device/stream.hpp"

namespace ringside {

class StreamReport {
 public:
  /// Block-shared.
  struct Shared {
    StreamCounters counters;
    StreamCounters stored;
  };

  RS_DEVICE StreamReport(Shared& shared, const StreamArgs& stream)
      : shared_(shared), to_(stream.counters), status_(stream.status) {}

  /// Counters go on from what the last kernel left. One thread, and a barrier after it.
  RS_DEVICE void begin() const { shared_.counters = shared_.stored = *to_; }

  /// The sum may wrap: a negative `by` takes away.
  template <class Member>
  RS_DEVICE void add(Member member, std::uint64_t by) const {
    shared_.counters.*member += by;
  }
  RS_DEVICE void add_drops(DropCause cause, std::uint64_t by) const {
    shared_.counters.dropped[static_cast<std::uint32_t>(cause)] += by;
  }
  /// Relaxed: the CPU may see it early or late, and no other word depends on it.
  RS_DEVICE void phase(BlockPhase phase) {
    if (phase == phase_) return;
    phase_ = phase;
    if (phase == BlockPhase::kWaitingForSendRoom) {
      // At once: who waits for long has nothing to tidy up, which is when the others are stored.
      store_relaxed_system(&to_->tx_waits, ++shared_.counters.tx_waits);
    }
    store_relaxed_system(&status_->phase, phase);
  }

  /// Those that have changed.
  RS_DEVICE void store_counters() const {
    const auto* const now = reinterpret_cast<std::uint64_t*>(&shared_.counters);
    auto* const stored = reinterpret_cast<std::uint64_t*>(&shared_.stored);
    auto* const to = reinterpret_cast<std::uint64_t*>(to_);
    RS_NOT_UNROLLED
    for (std::uint32_t i = 0; i < kCounters; ++i) {
      const std::uint64_t value = now[i];
      if (value == stored[i]) continue;
      stored[i] = value;
      store_relaxed_system(to + i, value);
    }
  }

  /// What follows, with release, says what the block waits for.
  RS_DEVICE void awaits_recovery() {
    store_counters();
    phase(BlockPhase::kAwaitingRecovery);
  }

  /// Release: a CPU that reads kFinished (acquire) reads the last counters after it.
  RS_DEVICE void finished() const { end(BlockPhase::kFinished); }

  /// The same for kFailed and the error.
  RS_DEVICE void failed(const QueueStop& stop) const {
    const QueueError& error = stop.error;
    store_relaxed_system(&status_->error_syndrome, std::uint32_t{error.syndrome});
    store_relaxed_system(&status_->error_vendor, std::uint32_t{error.vendor});
    store_relaxed_system(&status_->error_on_send, std::uint32_t{stop.queue == kRecoverSend});
    store_relaxed_system(&status_->error_wqe_counter, std::uint32_t{error.wqe_counter});
    end(BlockPhase::kFailed);
  }

 private:
  static constexpr std::uint32_t kCounters = sizeof(StreamCounters) / sizeof(std::uint64_t);

  RS_DEVICE void end(BlockPhase phase) const {
    store_counters();
    store_release_system(&status_->phase, phase);
  }

  Shared& shared_;
  StreamCounters* const to_;
  StreamStatus* const status_;
  BlockPhase phase_ = BlockPhase::kNotStarted;
};

}  // namespace ringside
