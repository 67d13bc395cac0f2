// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What tells flows apart: addresses and ports, or fields of the user's choice.
#pragma once

#include <cstdint>

#include "kernels/stages/field.hpp"
#include "kernels/stages/five_tuple.hpp"

namespace ringside::stages {

struct KeyField {
  FieldPlace place;
  bool inner;  ///< of what a tunnel carries
};

struct FlowKey {
  HashOver over;  ///< when there are no fields
  std::uint32_t count;
  KeyField fields[1];  ///< [count]

  template <class Function>
  RS_DEVICE void each(Function function) const {
    for (std::uint32_t i = 0; i < count; ++i) function(fields[i]);
  }
};

/// A field that a packet has not is a value of its own. `key`: a FlowKey, or what is one but for
/// being known to the compiler.
template <class K>
RS_DEVICE std::uint64_t key_hash(const PacketView& packet, const K& key) {
  if (key.count == 0) return flow_hash(packet, key.over, false);
  std::uint64_t hash = 0x9e3779b97f4a7c15U;
  key.each([&packet, &hash](const KeyField& field) {
    FieldValue value{};
    const bool has = load_place(packet, field.place, field.inner, value);
    hash = mix(mix(hash ^ value.high) ^ value.low) + (has ? 1U : 0U);
  });
  return mix(hash);
}

}  // namespace ringside::stages
