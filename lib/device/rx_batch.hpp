// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#pragma once

#include <cstdint>

namespace ringside {

/// What one look at a receive queue found, the same in every thread.
struct RxBatch {
  std::uint64_t first;  ///< index of its first CQE
  std::uint32_t count;  ///< CQEs: packets and bad packets
  bool stopped;         ///< the CQE after them says that the queue has stopped: see stop_error()
};

}  // namespace ringside
