// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/stream_restart.hpp"

namespace ringside {

bool StreamRestart::needed() const {
  return stream_.failed() || tx_.in_flight() != 0 || tx_.stopped() || rx_.stopped() ||
         tx_.completions_overrun() || rx_.completions_overrun() || stream_.holds_slots();
}

void StreamRestart::recover() {
  // The stream names its first error only: its other queue may have stopped while the block ended.
  const bool rx_stopped = !stream_.failed_on_send() || rx_.stopped() || rx_.completions_overrun() ||
                          stream_.holds_slots();
  // Sends that did not end in time hold slots, which the receive queue's recovery takes back.
  if (stream_.failed_on_send() || tx_.stopped() || tx_.completions_overrun() ||
      tx_.in_flight() != 0) {
    tx_.recover();
  }
  if (!rx_stopped) return;
  if (rx_.completions_overrun()) {
    from_.renew(stream_.rx_queue());
  } else {
    rx_.recover();
  }
}

}  // namespace ringside
