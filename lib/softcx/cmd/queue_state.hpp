// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What MODIFY_SQ and MODIFY_RQ may change, and what all queues' contexts must say at creation.
#pragma once

#include "lib/mlx5/format/prm_wq.hpp"
#include "lib/softcx/cmd/command.hpp"
#include "lib/softcx/nic/posted_buffers.hpp"

namespace softcx {

/// Refuses a command whose idea of the current state is wrong, and transitions that do not exist.
void check_transition(const char* kind, QueueState actual, std::uint32_t claimed,
                      std::uint32_t wanted);

/// A reset queue begins at index 0.
inline void rewind(Sq& sq) {
  sq.consumer = 0;
}
inline void rewind(Rq& rq) {
  rq.consumer = 0;
  rq.strides.used = 0;
}

/// Moves a queue on from `actual`, the state that was checked. One that leaves the ready state is
/// out of the engine thread's hands when this returns.
template <class Queue>
void change_state(Device& device, Queue& queue, QueueState actual, QueueState next) {
  // Ready to ready writes nothing: the engine may just have found an error, and that stays.
  if (actual == next) return;
  // Release pairs with the engine's acquire of the state: a ready queue is seen with its indices.
  // The engine itself only ever exchanges ready for error: it cannot undo a reset.
  queue.state.store(next, std::memory_order_release);
  if (next == QueueState::kReady) {
    device.wake_engine();
    return;
  }
  device.quiesce();
  if (device.posted != nullptr) device.posted->forget(&queue);
  if (next == QueueState::kReset) rewind(queue);
}

/// The parts of the wq context that SQ and RQ share, save its type.
void check_wq(const Command& command, const char* kind, prm::Context wq);

/// Refuses a wq_type other than cyclic.
void check_cyclic(const Command& command, const char* kind, prm::Context wq);

/// What ts_format means on this device. Refuses what its clocks cannot tell.
StampFormat stamp_format(const Device& device, const char* kind, std::uint32_t format);

}  // namespace softcx
