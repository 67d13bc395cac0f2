// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// One look of a block at the CQEs that may be there. On a GPU each CQE has threads of its own,
// which make the same load at the same time: where rings lie across PCIe a look takes one round
// trip, however many CQEs it is at.
#pragma once

#include <cstdint>
#include <type_traits>

#include "lib/device/block.hpp"

namespace ringside {

struct NotAwaited {};

/// CQEs that a look can be at, at most.
template <Block B>
RS_DEVICE std::uint32_t look_limit(B& block) {
  return B::kLookThreads == 1 ? ~0U : block.size() / B::kLookThreads;
}

/// Calls `see(i, tail)` for each CQE i below `max` (at most look_limit()), in one thread each; on
/// a CPU, where looks follow each other, a thread ends with the first for which it says false.
/// `cqe_at(i)` is where it lies. With `there(i, op_own)` it may look a few times, until that is
/// true for one of them. No barrier.
template <Block B, class CqeAt, class See, class There = NotAwaited>
RS_DEVICE void look(B& block, std::uint32_t max, CqeAt cqe_at, See see, There there = {}) {
  if constexpr (B::kLookThreads == 1) {
    for (std::uint32_t i = block.rank(); i < max; i += block.size()) {
      CqeTail tail;
      block.look(cqe_at(i), tail);
      if (!see(i, tail)) break;
    }
  } else {
    // All threads of a warp take part in its look, those that look at nothing too.
    const std::uint32_t i = block.rank() / B::kLookThreads;
    CqeTail tail;
    const Cqe* const cqe = i < max ? cqe_at(i) : nullptr;
    bool knows = false;
    if constexpr (std::is_same_v<There, NotAwaited>) {
      knows = block.look(cqe, tail);
    } else {
      knows = block.await(
          cqe, [&](std::uint8_t op_own) { return there(i, op_own); }, tail);
    }
    if (knows) see(i, tail);
  }
}

}  // namespace ringside
