// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/late_writes.hpp"

#include <algorithm>
#include <cstring>

namespace softcx {

void LateWrites::add(std::uint8_t* to, std::span<const std::uint8_t> bytes, std::uint64_t now_ns) {
  const std::lock_guard lock(mutex_);
  if (writes_.size() == kMostWrites) land_oldest();
  std::uniform_int_distribution<std::uint64_t> delay_ns(kLeastNs, kMostNs);
  const std::uint64_t due = now_ns + delay_ns(generator_);
  const std::uint64_t before = writes_.empty() ? 0 : writes_.back().due_ns;
  writes_.push_back({to, {bytes.begin(), bytes.end()}, std::max(due, before)});
  // Nobody need see it before the completion, which is released after it.
  under_way_.store(writes_.size(), std::memory_order_relaxed);
}

bool LateWrites::land_due(std::uint64_t now_ns) noexcept {
  if (none()) return false;
  const std::lock_guard lock(mutex_);
  while (!writes_.empty() && writes_.front().due_ns <= now_ns) land_oldest();
  return !writes_.empty();
}

void LateWrites::land_all() noexcept {
  if (none()) return;
  const std::lock_guard lock(mutex_);
  while (!writes_.empty()) land_oldest();
}

void LateWrites::land_oldest() noexcept {
  const Write& write = writes_.front();
  std::memcpy(write.to, write.bytes.data(), write.bytes.size());
  writes_.pop_front();
  // Release: pairs with none().
  under_way_.store(writes_.size(), std::memory_order_release);
}

}  // namespace softcx
