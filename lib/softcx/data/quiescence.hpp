// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Quiescent-state reclamation between the control path (any thread) and one engine thread.
//
// The control path unlinks an object, calls synchronize(), and frees it. The engine thread passes
// a quiescent point in each round of its loop; there it holds no pointer to any object.
#pragma once

#include <atomic>
#include <cstdint>

#include "lib/base/unique_fd.hpp"

namespace softcx {

class Quiescence {
 public:
  Quiescence();

  // Control path.

  /// Returns when the engine thread has dropped all pointers that it held at the time of the call:
  /// at its next quiescent point, or at once while it sleeps or is stopped.
  void synchronize() noexcept;
  /// Makes the engine thread pass a quiescent point and look at all tables anew, now.
  void wake() noexcept;

  // Engine thread.

  /// Has the control path asked for a quiescent point? If so drop all pointers, and acknowledge.
  bool pending() const noexcept {
    // Acquire: pairs with request(); what was unlinked before it is not found any more after it.
    return requested_.load(std::memory_order_acquire) !=
           acknowledged_.load(std::memory_order_relaxed);
  }
  void acknowledge() noexcept;
  /// From here to leave_sleep() the thread holds no pointer.
  void enter_sleep() noexcept;
  void leave_sleep() noexcept;
  /// Readable while there is a wake() that leave_sleep() has not taken.
  int wake_fd() const noexcept { return event_.get(); }

 private:
  enum Presence : std::uint32_t { kAwake, kAway };

  std::uint64_t request() noexcept;
  bool away() noexcept;

  alignas(64) std::atomic<std::uint64_t> requested_{0};
  alignas(64) std::atomic<std::uint64_t> acknowledged_{0};
  std::atomic<std::uint32_t> presence_{kAway};
  ringside::UniqueFd event_;
};

}  // namespace softcx
