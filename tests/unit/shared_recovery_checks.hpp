// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Blocks that share a send queue and recover it together: see tests/unit/block_checks.hpp.
#pragma once

#include <cstdint>

#include "lib/device/send_queue.hpp"
#include "lib/device/shared_recovery.hpp"
#include "lib/device/stream.hpp"
#include "tests/unit/block_checks.hpp"
#include "tests/unit/wait.hpp"

namespace ringside::test {

/// Each block sends until the queue has stopped, and `rounds` batches after it.
struct UsesASharedQueue {
  struct Outcome {
    std::uint32_t stops;
    std::uint32_t sent_after;
    bool recovered;
  };
  struct Orders {
    SharedTxQueueHandle queue;
    StreamArgs stream;
    std::uint32_t users;
    std::uint32_t batch;  ///< packets
    std::uint32_t rounds;
    Outcome* outcomes;  ///< one a block
  };

  template <Block B>
  static RS_DEVICE void run(B& block, Checker<B>& checker) {
    const auto& orders = checker.template orders<Orders>();
    const Outcome outcome = use(block, orders);
    if (block.rank() == 0) orders.outcomes[checker.number()] = outcome;
  }

 private:
  template <Block B>
  static RS_DEVICE Outcome use(B& block, const Orders& orders) {
    const StreamArgs& args = orders.stream;
    SendQueue<Sharing::kGpu> queue(orders.queue);
    const RecoveryWords words{&args.status->recovery, &args.control->recovery};
    const auto ends = [&] { return load_relaxed_system(&args.control->exit) != 0; };
    const auto packet = [&](std::uint32_t i) { return TxPacket{args.tx_buffers.iova[i], 64}; };
    Outcome outcome{};
    while (outcome.sent_after < orders.rounds) {
      const TxBatch sent = queue.send(block, orders.batch, packet, kEver);
      const bool stopped = sent.status == TxStatus::kStopped ||
                           queue.poll_at(block, sent.ticket(), kEver) == TxStatus::kStopped;
      if (stopped) {
        ++outcome.stops;
        if (!recover_together(block, words, orders.users, ends, queue)) return outcome;
        outcome.recovered = true;
      } else if (outcome.recovered) {
        ++outcome.sent_after;
      }
    }
    return outcome;
  }
};

}  // namespace ringside::test
