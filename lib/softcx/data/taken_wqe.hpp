// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a packet or an error takes of a receive queue, and how completions say so.
#pragma once

#include <cstdint>

#include "lib/mlx5/format/striding.hpp"
#include "lib/softcx/data/completion_queue.hpp"
#include "lib/softcx/nic/device.hpp"

namespace softcx {

/// A WQE, or strides of one that packets share.
struct TakenWqe {
  std::uint16_t index;
  std::uint32_t first = 0, strides = 0;
};

/// Moves the queue past the WQE at its consumer index, or past what is left of it.
TakenWqe take_rest(Rq& rq) noexcept;

/// How a completion names its packet's place.
inline void name_place(ringside::Cqe& cqe, const Rq& rq, const TakenWqe& taken,
                       std::uint32_t length) noexcept {
  cqe.byte_count = ringside::Be32::of(ringside::strided_byte_count(taken.strides, length));
  if (!rq.strides.shared()) [[likely]] {
    cqe.wqe_counter = ringside::Be16::of(taken.index);
    return;
  }
  cqe.wqe_id = ringside::Be16::of(taken.index);
  cqe.wqe_counter = ringside::Be16::of(static_cast<std::uint16_t>(taken.first));
}

/// An error CQE. False: the completion queue has failed.
bool complete_fault(Rq& rq, const TakenWqe& taken, Fault fault) noexcept;

/// Gives up what is left of the WQE that is being filled: a completion without a packet. False: the
/// completion queue has failed.
bool complete_filler(Rq& rq) noexcept;

}  // namespace softcx
