// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Writes a field of the outer headers; the checksums that cover it follow.
#pragma once

#include <cstdint>

#include "kernels/stages/checksum.hpp"
#include "kernels/stages/field.hpp"

namespace ringside::stages {

/// Puts the 16-bit word at `at`, and notes what that changes.
RS_DEVICE void put_word(std::uint8_t* at, std::uint16_t word, ChecksumChange& change) {
  change.word(load16(at), word);
  store16(at, word);
}

/// false: the packet has no such field, or it is one that cannot be written.
RS_DEVICE bool write_place(PacketView& packet, const FieldPlace& place, const FieldValue& value) {
  const Layers& layers = packet.headers.outer;
  if (place.base == Base::kDerived || place.bytes % 2 != 0) return false;
  std::uint8_t* const at = find_place(packet, layers, place);
  if (at == nullptr) return false;
  ChecksumChange change;
  if (place.bytes == 2) {
    const std::uint32_t mask = ((1U << place.bits) - 1) << place.shift;
    const std::uint32_t set = static_cast<std::uint32_t>(value.low) << place.shift & mask;
    put_word(at, static_cast<std::uint16_t>((load16(at) & ~mask) | set), change);
  } else {
    for (std::uint32_t i = 0; i < place.bytes; i += 2) {
      const std::uint32_t from_end = place.bytes - 2U - i;
      const std::uint64_t half = from_end >= 8 ? value.high : value.low;
      put_word(at + i, static_cast<std::uint16_t>(half >> (8 * (from_end % 8))), change);
    }
  }
  if (place.covered == Covered::kIp || place.covered == Covered::kIpAndPseudo) {
    apply_change(packet.data + layers.l3_offset + 10, change);
  }
  const bool next_hop = place.field == Field::kIpv6Dst && layers.routed;
  if ((place.covered == Covered::kPseudo && !next_hop) || place.covered == Covered::kIpAndPseudo) {
    apply_change_l4(packet, layers, change, true);
  }
  if (place.covered == Covered::kL4) apply_change_l4(packet, layers, change, false);
  return true;
}

RS_DEVICE bool write_field(PacketView& packet, Field field, const FieldValue& value) {
  return write_place(packet, place_of(field), value);
}

/// One less hop to live. false: IP, and no hop is left; the packet is as it was.
RS_DEVICE bool decrement_ttl(PacketView& packet) {
  const L3 l3 = packet.headers.outer.l3;
  if (l3 == L3::kNone) return true;
  const Field field = l3 == L3::kIpv4 ? Field::kIpv4Ttl : Field::kIpv6Hop;
  FieldValue ttl{};
  if (!load_field(packet, field, false, ttl) || ttl.low <= 1) return false;
  return write_field(packet, field, {0, ttl.low - 1});
}

struct FieldChange {
  FieldValue value;
  FieldPlace place;
};

struct RewriteParameters {
  std::uint32_t count;
  bool decrement_ttl;
  FieldChange changes[1];  ///< [count]

  template <class Function>
  RS_DEVICE void each(Function function) const {
    for (std::uint32_t i = 0; i < count; ++i) function(changes[i]);
  }
};

/// Changes the fields that the packet has. false: no hop was left. `parameters`: RewriteParameters,
/// or what is the same but for being known to the compiler in part.
template <class R>
RS_DEVICE bool run_rewrite(PacketView& packet, const R& parameters) {
  if (parameters.decrement_ttl && !decrement_ttl(packet)) return false;
  parameters.each(
      [&packet](const FieldChange& change) { write_place(packet, change.place, change.value); });
  return true;
}

}  // namespace ringside::stages
