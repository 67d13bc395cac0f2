// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The CPU's end of a copy area: orders copies, and learns when they have ended. Of one engine
// thread. Its waits end: a GPU that makes no progress is given up after kStallNs, for good.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "lib/softcx/nic/copy_engine.hpp"

namespace softcx {

class CopyChannel {
 public:
  /// Says "all copies that were ordered until then".
  using Ticket = std::uint64_t;

  static constexpr std::uint64_t kStallNs = 2'000'000'000;
  /// Without progress for this long, the driver is asked whether the GPU has failed.
  static constexpr std::uint64_t kDoubtNs = 100'000'000;

  explicit CopyChannel(std::unique_ptr<CopyWorker> worker)
      : worker_(std::move(worker)), area_(worker_->area()) {}

  std::uint8_t* staging() const noexcept { return area_.staging; }

  /// Adds a copy; not begun before kick(). The ring has room for what its users hold at most.
  void add(const CopyDescriptor& copy) noexcept {
    constexpr std::uint64_t kRing = std::uint64_t{kCopyRingChunks} * kCopyChunk;
    area_.ring[(kicked_ * kCopyChunk + filled_++) % kRing] = copy;
  }
  /// Has all begun that was added. Starts the kernel if it has left.
  Ticket kick() noexcept;
  /// Have they ended? Acquire: what they brought is seen. False for ever once failed().
  bool done(Ticket ticket) noexcept {
    if (completed_ < ticket && !failed_) progress();
    return completed_ >= ticket;
  }
  /// Until they have ended, or the channel has failed.
  void wait(Ticket ticket) noexcept;
  /// Has the kernel leave, so that the application can free memory. Nothing may be under way.
  void park() noexcept;

  /// Nothing that was not done then ever will be.
  bool failed() const noexcept { return failed_; }
  const std::string& failure() const noexcept { return failure_; }

 private:
  void progress() noexcept;
  void check() noexcept;
  bool kernel_left() const noexcept;
  void order_to_leave() noexcept;
  void restart() noexcept;
  void fail(std::string why) noexcept;

  std::unique_ptr<CopyWorker> worker_;
  CopyArea& area_;
  std::uint64_t kicked_ = 0;     ///< chunks that the GPU knows of
  std::uint64_t completed_ = 0;  ///< chunks up to here are done
  std::uint32_t filled_ = 0;     ///< descriptors of the open chunks, those from kicked_ on
  std::uint32_t instance_ = 0;   ///< of the kernel
  bool running_ = false;         ///< not told to leave
  bool failed_ = false;
  std::uint32_t polls_ = 0;                        ///< in vain
  std::uint64_t stalled_ns_ = 0, doubted_ns_ = 0;  ///< since when; 0: not
  std::string failure_;
};

}  // namespace softcx
