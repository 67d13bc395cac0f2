// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Waits of tests. Each ends: what does not come is a failure that says what was awaited, and no
// test that hangs.
#pragma once

#include <sched.h>

#include <cstdint>

#include "lib/base/clock.hpp"

namespace ringside::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr std::uint64_t kPatienceMs = 40'000;  // as tools/test multiplies a test's limit
#else
inline constexpr std::uint64_t kPatienceMs = 10'000;
#endif
/// For calls of the device API that wait for what has to come: longer than the test waits for what
/// such a call does, and less than a test may take.
inline constexpr std::uint64_t kEver = 2 * kPatienceMs * 1'000'000;

/// Steps the NIC (or whatever `step` does) until `done`. false: the time has passed.
template <class Done, class Step>
bool step_until(Done done, Step step) {
  const Deadline deadline = Deadline::after_ms(kPatienceMs);
  while (!done()) {
    if (deadline.passed()) return false;
    step();
    sched_yield();
  }
  return true;
}

template <class Done>
bool wait_until(Done done) {
  return step_until(done, [] {});
}

/// The same in all threads of a scope, whose rank 0 says for all of them when it is over.
template <class S, class Done, class Step>
bool step_scope_until(S& scope, Done done, Step step) {
  const Deadline deadline = Deadline::after_ms(kPatienceMs);
  while (!scope.broadcast(done())) {
    if (scope.broadcast(deadline.passed())) return false;
    step();
    sched_yield();
  }
  return true;
}

}  // namespace ringside::test
