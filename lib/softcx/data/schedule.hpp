// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The engine's view of the control path's tables: which UAR pages to poll, which send queues have
// work. It lives from one quiescent point to the next.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lib/softcx/data/doorbell_page.hpp"
#include "lib/softcx/data/port.hpp"

namespace softcx {

class Schedule {
 public:
  /// Frames that a send queue sends before the next one has its turn. More than a wire brings in a
  /// round, so that an application that forwards can always send what it receives.
  static constexpr std::uint32_t kSendBudget = 256;

  /// Drops every pointer to an object of the control path.
  void drop() noexcept;
  /// Reads the tables of all ports.
  void build(std::span<const std::unique_ptr<Port>> ports);

  /// Takes new rings. True: there were some.
  bool poll_doorbells() noexcept;
  bool has_work() const noexcept { return !active_.empty(); }
  /// Gives each queue with work one turn. True: something was done.
  bool run_queues() noexcept;
  /// Queues that stood still have no doorbell to come to wake them.
  void wake_stalled() noexcept;
  void check_doorbells(std::uint64_t now_ns) noexcept;
  /// Gives back what is posted to receive queues in error, whether or not frames come.
  void flush_receive_queues() noexcept;

 private:
  void activate(std::span<ScheduledSq> queues) noexcept;

  std::vector<ScheduledSq> queues_;  ///< of all pages; those of a page lie together
  std::vector<DoorbellPage> pages_;
  std::vector<Rq*> receive_queues_;
  std::vector<ScheduledSq*> active_;  ///< into queues_, in the order of their turns
};

}  // namespace softcx
