// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Matches a packet against headers that it must have and ranges that its fields must lie in.
#pragma once

#include <cstdint>

#include "kernels/stages/field.hpp"

namespace ringside::stages {

/// first <= (field & mask) <= last
struct Condition {
  FieldValue mask;
  FieldValue first;
  FieldValue last;
  FieldPlace place;
  bool inner;
};

/// What must hold, all of it. Nothing: every packet matches.
struct Match {
  std::uint16_t outer;  ///< item bits
  std::uint16_t inner;
  std::uint32_t count;
  Condition conditions[1];  ///< [count]

  template <class Predicate>
  RS_DEVICE bool all(Predicate holds) const {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!holds(conditions[i])) return false;
    }
    return true;
  }
};

RS_DEVICE bool holds(const PacketView& packet, const Condition& condition) {
  FieldValue value{};
  if (!load_place(packet, condition.place, condition.inner, value)) return false;
  value.low &= condition.mask.low;
  if (condition.place.bytes <= sizeof value.low) {
    return value.low >= condition.first.low && value.low <= condition.last.low;
  }
  value.high &= condition.mask.high;
  return !(value < condition.first) && !(condition.last < value);
}

/// `match`: a Match, or what is one but for being known to the compiler in part.
template <class M>
RS_DEVICE bool matches(const PacketView& packet, const M& match) {
  const std::uint32_t missing =
      (match.outer & ~packet.headers.outer.items) | (match.inner & ~packet.headers.inner.items);
  return missing == 0 &&
         match.all([&packet](const Condition& condition) { return holds(packet, condition); });
}

}  // namespace ringside::stages
