// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A range of memory that the NIC reads for a packet.
#pragma once

#include <cstdint>

namespace ringside {

struct TxPart {
  std::uint64_t iova;
  std::uint32_t length;    ///< bytes, not 0
  std::uint32_t lkey = 0;  ///< of the memory region; 0: the queue's own (TxQueueHandle::lkey)
};

}  // namespace ringside
