// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/copy_channel.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "lib/base/clock.hpp"
#include "lib/base/relax.hpp"

namespace softcx {
namespace {

using ringside::monotonic_ns;

constexpr std::uint32_t slot_of(std::uint64_t chunk) {
  return static_cast<std::uint32_t>(chunk % kCopyRingChunks);
}

std::uint32_t load_acquire(std::uint32_t& word) noexcept {
  return std::atomic_ref<std::uint32_t>(word).load(std::memory_order_acquire);
}

}  // namespace

CopyChannel::Ticket CopyChannel::kick() noexcept {
  if (filled_ == 0) return kicked_;
  while (filled_ % kCopyChunk != 0) add({0, 0, 0});
  kicked_ += filled_ / kCopyChunk;
  filled_ = 0;
  if (!running_ || kernel_left()) {
    restart();
  } else {
    // Release: pairs with the kernel's acquire; the descriptors and what is staged are seen.
    std::atomic_ref<std::uint64_t>(area_.order)
        .store(copy_order(static_cast<std::uint32_t>(kicked_), instance_ - 1),
               std::memory_order_release);
  }
  return kicked_;
}

void CopyChannel::progress() noexcept {
  const std::uint64_t before = completed_;
  // Acquire: pairs with the release of the warp that carried the chunk out.
  while (completed_ != kicked_ && load_acquire(area_.done[slot_of(completed_)]) ==
                                      done_mark(static_cast<std::uint32_t>(completed_))) {
    ++completed_;
  }
  if (completed_ != before) {
    polls_ = 0;
    stalled_ns_ = 0;
    return;
  }
  constexpr std::uint32_t kPollsToCheck = 64;
  if (++polls_ % kPollsToCheck == 0) check();
}

void CopyChannel::check() noexcept {
  if (failed_) return;
  if (kernel_left()) return restart();
  const std::uint64_t now = monotonic_ns();
  if (stalled_ns_ == 0) stalled_ns_ = doubted_ns_ = now;
  if (now - stalled_ns_ > kStallNs) {
    return fail("the GPU copied nothing for 2 s: do other kernels fill it?");
  }
  if (now - doubted_ns_ < kDoubtNs) return;
  doubted_ns_ = now;
  if (!worker_->healthy()) fail(worker_->failure());
}

bool CopyChannel::kernel_left() const noexcept {
  return std::any_of(std::begin(area_.left), std::end(area_.left), [this](std::uint32_t& left) {
    return std::atomic_ref<std::uint32_t>(left).load(std::memory_order_relaxed) == instance_;
  });
}

void CopyChannel::order_to_leave() noexcept {
  std::atomic_ref<std::uint64_t>(area_.order)
      .store(copy_order(static_cast<std::uint32_t>(kicked_), instance_), std::memory_order_release);
  running_ = false;
}

/// Blocks leave one by one, and take what is ready with them. Only when all have left is it certain
/// which chunks are not done.
void CopyChannel::restart() noexcept {
  if (failed_) return;
  if (instance_ != 0) {
    if (running_) order_to_leave();
    const std::uint64_t deadline = monotonic_ns() + kStallNs;
    ringside::Relax wait;
    for (std::uint32_t& left : area_.left) {
      // Acquire: pairs with the block's release; it writes nothing any more.
      while (load_acquire(left) != instance_) {
        if (monotonic_ns() > deadline) return fail("the copy kernel on the GPU does not end");
        wait.relax();
      }
    }
  }
  // The next instance does again what comes after the first one missing; of that nothing has been
  // used yet.
  for (std::uint64_t chunk = completed_; chunk != kicked_; ++chunk) {
    std::atomic_ref<std::uint32_t>(area_.done[slot_of(chunk)]).store(0, std::memory_order_relaxed);
  }
  ++instance_;
  std::atomic_ref<std::uint64_t>(area_.order)
      .store(copy_order(static_cast<std::uint32_t>(kicked_), instance_ - 1),
             std::memory_order_release);
  if (!worker_->start(static_cast<std::uint32_t>(completed_), instance_)) {
    return fail(worker_->failure());
  }
  running_ = true;
}

void CopyChannel::wait(Ticket ticket) noexcept {
  ringside::Relax wait;
  while (!done(ticket) && !failed_) wait.relax();
}

void CopyChannel::park() noexcept {
  if (running_) order_to_leave();
}

void CopyChannel::fail(std::string why) noexcept {
  failed_ = true;
  failure_ = std::move(why);
}

}  // namespace softcx
