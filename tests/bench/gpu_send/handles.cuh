// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#pragma once

#include "lib/device/send_queue.hpp"
#include "tests/bench/gpu_send/rig.cuh"

namespace ringside::bench {

template <Sharing kSharing>
SendQueueHandle<kSharing> handle_of(const RigQueue& queue) {
  if constexpr (kSharing == Sharing::kExclusive) {
    return queue.handle();
  } else {
    return {queue.handle(), queue.shared.get(), queue.batch_end.get()};
  }
}

}  // namespace ringside::bench
