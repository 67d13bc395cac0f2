// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Block-scoped sends, by who shares the queue.
//
//   SendQueue<Sharing::kExclusive> queue(handle);
//   const TxSend sent = queue.send(block, count, [&](std::uint32_t i) {
//     return TxPacket{iova_of(i), length_of(i)};
//   }, timeout_ns);
//   queue.wait(block, sent.end, timeout_ns);  // then the packets' memory may be written again
#pragma once

#include <type_traits>

#include "lib/device/tx_exclusive.hpp"
#include "lib/device/tx_shared.hpp"

namespace ringside {

enum class Sharing {
  kExclusive,  ///< one block: nothing but its own barriers
  kShared,     ///< any number of blocks of the same GPU at once
};

template <Sharing kSharing>
using SendQueue =
    std::conditional_t<kSharing == Sharing::kExclusive, ExclusiveTxQueue, SharedTxQueue>;

template <Sharing kSharing>
using SendQueueHandle =
    std::conditional_t<kSharing == Sharing::kExclusive, TxQueueHandle, SharedTxQueueHandle>;

}  // namespace ringside
