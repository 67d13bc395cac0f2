// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The packets that most traffic is made of: untagged TCP or UDP over IPv4 without options, whole,
// with a right header checksum. Four words hold all that rules can ask of such a packet's headers,
// but for TCP's sequence numbers; the parser is for the others.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "lib/softcx/steering/classify.hpp"

namespace softcx {

struct PlainPacket {
  /// Two of these packets with equal words have equal match keys (flow_key.hpp), save for TCP's
  /// sequence and acknowledgement numbers.
  std::array<std::uint64_t, 4> words;
  /// As parse_packet() finds them: an L4 checksum is described, not yet verified.
  HeaderFacts facts;
};

/// False: the packet is not of this kind, and `packet` holds nothing.
bool read_plain_packet(std::span<const std::uint8_t> headers, std::uint32_t frame_length,
                       PlainPacket& packet) noexcept;

}  // namespace softcx
