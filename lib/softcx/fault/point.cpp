// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/fault/point.hpp"

#include <algorithm>

namespace softcx {
namespace {

constexpr std::uint64_t kNsPerMs = 1'000'000;

std::uint64_t value_or(const FaultOrder& order, std::string_view key, std::uint64_t fallback) {
  const auto found = order.values.find(key);
  return found == order.values.end() ? fallback : found->second;
}

}  // namespace

FaultPoint::FaultPoint(const FaultOrder& order, std::uint32_t number)
    : kind_(order.entry->kind),
      syndrome_(static_cast<std::uint8_t>(value_or(order, "syndrome", 0))),
      spacing_(value_or(order, "packet", 0)),
      strikes_left_(value_or(order, "count", 1)),
      delay_ns_(value_or(order, "after", 0) * kNsPerMs),
      duration_ns_(value_or(order, "ms", 0) * kNsPerMs) {
  const std::uint64_t seed = value_or(order, "seed", 0);
  random_ = seed != 0;
  generator_.seed(static_cast<std::uint32_t>(seed ^ number));
  distance_ = next_distance();
}

std::uint64_t FaultPoint::next_distance() noexcept {
  if (!random_) return spacing_;
  return std::uniform_int_distribution<std::uint64_t>(1, 2 * spacing_ - 1)(generator_);
}

void FaultPoint::pass(std::uint64_t packets) noexcept {
  if (distance_ != kNever) distance_ -= std::min(distance_, packets);
}

void FaultPoint::struck() noexcept {
  distance_ = --strikes_left_ == 0 ? kNever : next_distance();
}

bool FaultPoint::lasting(std::uint64_t now_ns) noexcept {
  if (distance_ != 0) return false;
  if (begin_ns_ == 0) begin_ns_ = now_ns + delay_ns_;
  if (now_ns < begin_ns_) return false;
  if (duration_ns_ == 0 || now_ns - begin_ns_ < duration_ns_) return true;
  struck();
  return false;
}

std::unique_ptr<QueueFaults> make_queue_faults(const FaultPlan& plan, std::uint32_t port,
                                               std::initializer_list<FaultKind> kinds,
                                               std::uint32_t queue) {
  auto faults = std::make_unique<QueueFaults>();
  for (const FaultKind kind : kinds) {
    if (const FaultOrder* order = plan.find(kind, port)) faults->emplace_back(*order, queue);
  }
  return faults->empty() ? nullptr : std::move(faults);
}

}  // namespace softcx
