// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the parts of a block tell each other at the end of a pass of the forwarding loop.
#pragma once

#include <cstdint>

#include "lib/device/queue_error.hpp"
#include "lib/mlx5/format/queue.hpp"

namespace ringside {

/// Of those that had packets in hand.
struct Served {
  /// What a batch came to, summed over the threads.
  enum Sum : std::uint32_t { kRxBytes, kBad, kConsumed, kDropped, kTxBytes, kSums };
  using Sums = std::uint32_t[kSums];
  /// kBad counts errors, and these of a striding queue: no packet was lost. A batch has fewer.
  static constexpr std::uint32_t kFiller = 1U << 16;

  RxQueueState rx;
  TxQueueState tx;
  std::uint32_t count;  ///< completions taken, or frames made
  std::uint32_t sent;   ///< of these
  Sums sums;
  bool stopped;  ///< the receive queue
  bool follows;  ///< a packet lies behind the one that was taken
  bool unrung;   ///< what was written waits for its doorbell
  QueueError error;
};

/// Of the back.
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

}  // namespace ringside
