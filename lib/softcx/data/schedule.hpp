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
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  /// What is due within this time is waited for awake: much longer than a sleep is late.
  static constexpr std::uint64_t kSoonNs = 200'000;

  /// Drops every pointer to an object of the control path.
  void drop() noexcept;
  /// Reads the tables of all ports.
  void build(std::span<const std::unique_ptr<Port>> ports);

  /// Takes new rings. True: there were some.
  bool poll_doorbells() noexcept;
  bool has_work() const noexcept { return !active_.empty(); }
  /// Gives each queue with work one turn, those first whose time has come. True: something was
  /// done, or will be soon.
  bool run_queues(std::uint64_t now_ns) noexcept;
  /// When the next queue that waits for a time is to be run; kNever: none waits.
  std::uint64_t due_ns() const noexcept { return due_ns_; }
  /// Queues that stood still have no doorbell to come to wake them.
  void wake_stalled() noexcept;
  void check_doorbells(std::uint64_t now_ns) noexcept;
  /// Gives back what is posted to receive queues in error, whether or not frames come.
  void flush_receive_queues() noexcept;

 private:
  /// True: the queue has no more work.
  bool run(ScheduledSq& queue) noexcept;
  void activate(std::span<ScheduledSq> queues) noexcept;

  std::vector<ScheduledSq> queues_;  ///< of all pages; those of a page lie together
  std::vector<DoorbellPage> pages_;
  std::vector<Rq*> receive_queues_;
  bool watches_ = false;  ///< somebody sanitizes
  std::uint64_t due_ns_ = kNever;
  std::vector<ScheduledSq*> active_;  ///< into queues_, in the order of their turns
};

}  // namespace softcx
