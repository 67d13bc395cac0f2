// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/late_writes.hpp"

#include <algorithm>
#include <cstring>

namespace softcx {

void LateWrites::add(std::uint8_t* to, std::span<const std::uint8_t> bytes) {
  if (writes_.size() == kMostWrites) land_oldest();
  std::uniform_int_distribution<std::uint64_t> delay_ns(kLeastNs, kMostNs);
  const std::uint64_t due = clock_.now_ns() + delay_ns(generator_);
  const std::uint64_t before = writes_.empty() ? 0 : writes_.back().due_ns;
  writes_.push_back({to, {bytes.begin(), bytes.end()}, std::max(due, before)});
}

bool LateWrites::land_due() noexcept {
  while (!writes_.empty() && writes_.front().due_ns <= clock_.now_ns()) land_oldest();
  return !writes_.empty();
}

void LateWrites::land_all() noexcept {
  while (!writes_.empty()) land_oldest();
}

void LateWrites::land_oldest() noexcept {
  const Write& write = writes_.front();
  std::memcpy(write.to, write.bytes.data(), write.bytes.size());
  writes_.pop_front();
}

}  // namespace softcx
