// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// When an injected fault strikes: after so many packets of a queue or a wire. Engine thread only.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <random>
#include <vector>

#include "lib/softcx/fault/plan.hpp"

namespace softcx {

class FaultPoint {
 public:
  static constexpr std::uint64_t kNever = UINT64_MAX;

  /// `number`: of the queue, so that a seed gives each queue distances of its own.
  explicit FaultPoint(const FaultOrder& order, std::uint32_t number = 0);

  FaultKind kind() const noexcept { return kind_; }
  /// Of a fault that makes error CQEs.
  std::uint8_t syndrome() const noexcept { return syndrome_; }

  /// Packets that pass before it strikes. 0: it is due.
  std::uint64_t distance() const noexcept { return distance_; }
  void pass(std::uint64_t packets) noexcept;
  /// Was due and has struck: the distance is that to the next time.
  void struck() noexcept;
  /// Of a fault that lasts: has it begun and is not over? It is due with the first call that finds
  /// it so, and begins then or some time after.
  bool lasting(std::uint64_t now_ns) noexcept;

 private:
  std::uint64_t next_distance() noexcept;

  FaultKind kind_;
  std::uint8_t syndrome_ = 0;
  std::uint64_t spacing_;
  std::uint64_t strikes_left_ = 1;
  std::uint64_t delay_ns_ = 0;     ///< between being due and beginning
  std::uint64_t duration_ns_ = 0;  ///< 0: for ever
  std::uint64_t begin_ns_ = 0;     ///< 0: is not due
  bool random_ = false;
  std::minstd_rand generator_;
  std::uint64_t distance_;
};

using QueueFaults = std::vector<FaultPoint>;

/// Those of `kinds` that the port has, for a new queue; nullptr: none.
std::unique_ptr<QueueFaults> make_queue_faults(const FaultPlan& plan, std::uint32_t port,
                                               std::initializer_list<FaultKind> kinds,
                                               std::uint32_t queue);

}  // namespace softcx
