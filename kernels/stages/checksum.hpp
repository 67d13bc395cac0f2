// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Internet checksums that follow a change of the bytes that they cover (RFC 1624, equation 3).
#pragma once

#include <cstdint>

#include "kernels/stages/bytes.hpp"
#include "kernels/stages/packet_view.hpp"

namespace ringside::stages {

/// What a change of 16-bit words does to a sum over them.
class ChecksumChange {
 public:
  RS_DEVICE void word(std::uint16_t before, std::uint16_t after) {
    sum_ += (before ^ 0xffffU) + after;
  }
  /// Of the checksum `old`.
  RS_DEVICE std::uint16_t applied_to(std::uint16_t old) const {
    std::uint32_t sum = (old ^ 0xffffU) + (sum_ & 0xffffU) + (sum_ >> 16);
    sum = (sum & 0xffffU) + (sum >> 16);
    sum = (sum & 0xffffU) + (sum >> 16);
    return static_cast<std::uint16_t>(sum ^ 0xffffU);
  }

 private:
  std::uint32_t sum_ = 0;  // of up to 2^15 words
};

RS_DEVICE void apply_change(std::uint8_t* checksum, const ChecksumChange& change) {
  store16(checksum, change.applied_to(load16(checksum)));
}

/// In the checksum of the packet's TCP, UDP or ICMP header. `pseudo`: a change of the IP addresses,
/// which ICMP in IPv4 does not cover. UDP without a checksum stays so, and a sum of 0 is written as
/// 0xffff there (RFC 768). A checksum that was wrong stays wrong.
RS_DEVICE void apply_change_l4(PacketView& packet, const Layers& layers,
                               const ChecksumChange& change, bool pseudo) {
  if (layers.l4 == L4::kNone) return;
  std::uint8_t* const header = packet.data + layers.l4_offset;
  switch (layers.l4) {
    case L4::kTcp:
      return apply_change(header + 16, change);
    case L4::kUdp: {
      const std::uint16_t old = load16(header + 6);
      if (old == 0) return;
      const std::uint16_t updated = change.applied_to(old);
      return store16(header + 6, updated == 0 ? std::uint16_t{0xffff} : updated);
    }
    case L4::kIcmp:
      if (!pseudo) apply_change(header + 2, change);
      return;
    default:
      return apply_change(header + 2, change);
  }
}

}  // namespace ringside::stages
