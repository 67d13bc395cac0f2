// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A kernel's part in finding out what its clock says beside the host's.
#pragma once

#include <cstdint>

#include "lib/device/block.hpp"
#include "lib/device/memory.hpp"
#include "lib/mlx5/format/clock_map.hpp"

namespace ringside {

/// Answers if the host asks. One thread, once a pass of its loop: the readings are as exact as the
/// time from the host's request to its sight of the answer is short. True: it has answered.
template <Block B>
RS_DEVICE bool answer_clock(B& block, ClockMailbox& mailbox) {
  // Acquire: pairs with the host's release of the request, so the time is read after it.
  const std::uint64_t request = load_acquire_system(&mailbox.request);
  if (request == load_relaxed_system(&mailbox.answer)) return false;
  store_relaxed_system(&mailbox.now_ns, block.now_ns());
  // Release: pairs with the host's acquire of the answer, which reads the time that belongs to it.
  store_release_system(&mailbox.answer, request);
  return true;
}

}  // namespace ringside
