// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/quiescence.hpp"

#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "lib/base/error.hpp"
#include "lib/base/relax.hpp"

namespace softcx {

Quiescence::Quiescence() : event_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (!event_) {
    throw ringside::Error(
        fmt::format("no event to wake the engine with: {}", ringside::errno_text(errno)),
        "raise the limit of open files (ulimit -n)");
  }
}

std::uint64_t Quiescence::request() noexcept {
  // Release: what the caller unlinked is gone for whoever sees the request (pending()).
  return requested_.fetch_add(1, std::memory_order_acq_rel) + 1;
}

bool Quiescence::away() noexcept {
  // A read-modify-write, so that it takes its place in the order of presence_'s changes:
  // - it comes after the engine's enter_sleep(): by that one's release all use of what the caller
  //   unlinked is over;
  // - it comes before the engine's leave_sleep(): by that one's acquire the engine sees what the
  //   caller unlinked, and its request.
  return presence_.fetch_add(0, std::memory_order_acq_rel) == kAway;
}

void Quiescence::synchronize() noexcept {
  const std::uint64_t mine = request();
  ringside::Relax wait;
  // Acquire: pairs with acknowledge(); the engine's last use of what was unlinked came before.
  // The wait ends: a round has a budget for each queue and wire, sockets do not block, captures are
  // regular files (the launcher sees to that), a GPU that copies nothing is given up
  // (CopyChannel::kStallNs), and away() is true once the engine is stopped. Only a line on stderr,
  // one a kind of violation, waits for whoever reads that.
  while (acknowledged_.load(std::memory_order_acquire) < mine && !away()) wait.relax();
}

void Quiescence::wake() noexcept {
  request();
  if (!away()) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(event_.get(), &one, sizeof(one));
}

void Quiescence::acknowledge() noexcept {
  const std::uint64_t seen = requested_.load(std::memory_order_acquire);
  // Release: pairs with synchronize(); all use of older pointers is over.
  acknowledged_.store(seen, std::memory_order_release);
}

void Quiescence::enter_sleep() noexcept {
  // Acquire as well: a request whose maker found the thread awake is seen by pending() after this.
  presence_.exchange(kAway, std::memory_order_acq_rel);
}

void Quiescence::leave_sleep() noexcept {
  presence_.exchange(kAwake, std::memory_order_acq_rel);
  std::uint64_t wakes = 0;
  [[maybe_unused]] const auto taken = ::read(event_.get(), &wakes, sizeof(wakes));
}

}  // namespace softcx
