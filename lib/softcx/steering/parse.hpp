// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The NIC's packet parser: headers into a match key and into the facts of a completion.
#pragma once

#include <cstdint>
#include <span>

#include "lib/softcx/steering/classify.hpp"
#include "lib/softcx/steering/flow_key.hpp"

namespace softcx {

enum class L3 : std::uint8_t { kNone, kIpv4, kIpv6 };
enum class L4 : std::uint8_t { kNone, kTcp, kUdp };

struct Layers {
  L3 l3 = L3::kNone;
  L4 l4 = L4::kNone;
};

struct ParsedPacket {
  FlowKey key{};
  Layers outer, inner;
  HeaderFacts facts;  ///< of the outer headers; an L4 checksum is described, not yet verified
};

/// Parses Ethernet, up to two VLAN tags, IPv4 with options, IPv6 with hop-by-hop, routing,
/// fragment and destination options headers, TCP, UDP, ICMP, ICMPv6, ESP, and what lies in VXLAN
/// (UDP port 4789), GRE or IP in IP. A header that is cut off or contradicts itself ends the parse:
/// what was read before it stands, the rest of the key is 0. Nothing behind `headers` is read.
/// Fragments have no L4, the first one neither, as for the NIC.
void parse_packet(std::span<const std::uint8_t> headers, std::uint32_t frame_length,
                  ParsedPacket& packet) noexcept;

}  // namespace softcx
