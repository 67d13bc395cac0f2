// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The one way in which calls with a deadline wait.
#pragma once

#include <cstdint>

#include "lib/device/scope.hpp"
#include "lib/device/target.hpp"

namespace ringside {

/// Calls attempt() until it is true, and once more after `timeout_ns` have passed. One thread. The
/// clock is read once there is something to wait for: on a GPU that takes a microsecond.
template <Scope S, class Attempt>
RS_DEVICE void attempt_until(S& scope, std::uint64_t timeout_ns, Attempt attempt) {
  std::uint64_t start = 0;
  bool last = timeout_ns == 0;
  scope.poll_until([&] {
    if (attempt() || last) return true;
    const std::uint64_t now = scope.now_ns();
    if (start == 0) start = now;
    last = now - start >= timeout_ns;
    return false;
  });
}

}  // namespace ringside
