// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/idle.hpp"

#include <algorithm>

#include "lib/base/relax.hpp"

namespace softcx {

bool Idle::wait(std::uint64_t now_ns, std::span<pollfd> wait_set, std::uint64_t due_ns) noexcept {
  if (since_ns_ == 0) {
    since_ns_ = now_ns;
    sleep_ns_ = kFirstSleepNs;
  }
  const std::uint64_t idle_ns = now_ns - since_ns_;
  if (idle_ns < kSpinNs) {
    ringside::cpu_pause();
    return true;
  }
  if (idle_ns < kSpinNs + kYieldNs) {
    sched_yield();
  } else {
    sleep(wait_set, due_ns > now_ns ? (due_ns - now_ns) / 2 : 0);
  }
  return false;
}

void Idle::sleep(std::span<pollfd> wait_set, std::uint64_t longest_ns) noexcept {
  quiescence_.enter_sleep();
  // Only now: a request whose maker saw the thread awake must not wait for the end of the sleep.
  if (!quiescence_.pending()) {
    const timespec limit{0, static_cast<long>(std::min(sleep_ns_, longest_ns))};
    ::ppoll(wait_set.data(), wait_set.size(), &limit, nullptr);
    sleep_ns_ = std::min(2 * sleep_ns_, kLongestSleepNs);
  }
  quiescence_.leave_sleep();
}

}  // namespace softcx
