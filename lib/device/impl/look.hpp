// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// One look of a block at all completions that it waits for. Each CQE has threads of its own, which
// make the same load at the same time: on a GPU whose rings lie across PCIe a look takes one round
// trip, however many CQEs it is at.
#pragma once

#include <cstdint>

#include "lib/device/block.hpp"

namespace ringside {

/// Looks at the next `max` CQEs of a receive queue, which keeps what they say, and at `kSends` CQEs
/// of a send queue: send_tails[i] becomes what that at send_cqe(i) says. Returns what the receive
/// queue's accept() takes. Collective.
template <std::uint32_t kSends, Block B, class Rx, class SendCqe>
RS_DEVICE std::uint32_t look(B& block, Rx& rx, std::uint32_t max, SendCqe send_cqe,
                             CqeTail* send_tails) {
  std::uint32_t key = 2 * max + 1;
  const std::uint32_t looks = block.size() / B::kLookThreads;
  for (std::uint32_t look = block.rank() / B::kLookThreads; look < kSends + max; look += looks) {
    const bool is_send = !Rx::kIsQueue || (kSends != 0 && look < kSends);
    const std::uint32_t i = is_send ? look : look - kSends;
    const Cqe* const cqe = is_send ? send_cqe(i) : rx.cqe_ahead(i);
    const std::uint64_t iova = is_send ? 0 : rx.iova_ahead(i);  // while the CQE is on its way
    // Meets the NIC's write of the CQE, which comes after that of the packet (receive) or after its
    // reads of WQEs and buffers (send).
    const CqeTail tail = block.look(cqe);
    if (is_send) {
      send_tails[i] = tail;
      continue;
    }
    const auto sight = rx.see(i, tail, iova);
    if (sight == Rx::Sight::kTaken) continue;
    key = 2 * i + (sight == Rx::Sight::kStopped ? 0U : 1U);
    break;
  }
  // The threads agree on the prefix and on what ends it in one go: no two looks have the same i
  // below max, so the smallest key is that of the first CQE that cannot be taken.
  return block.min(key);
}

}  // namespace ringside
