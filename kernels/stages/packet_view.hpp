// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A packet as stages see it: its bytes, what the NIC said about it, and where its headers lie.
#pragma once

#include <cstdint>

#include "kernels/stages/items.hpp"
#include "lib/device/target.hpp"

namespace ringside::stages {

enum class L3 : std::uint8_t { kNone, kIpv4, kIpv6 };
enum class L4 : std::uint8_t { kNone, kTcp, kUdp, kIcmp, kIcmpv6 };
enum class Tunnel : std::uint8_t { kNone, kVxlan, kGtpu };

/// What is a tunnel and what is eCPRI: neither says so itself.
struct ParseOptions {
  std::uint16_t vxlan_port = 4789;
  std::uint16_t gtpu_port = 2152;
  std::uint16_t ecpri_ethertype = 0xaefe;  ///< IEEE 1914.3
  bool tunnels = true;                     ///< look into them
};

/// In Layers::items.
RS_DEVICE constexpr std::uint16_t item_bit(Item item) {
  return static_cast<std::uint16_t>(1U << static_cast<unsigned>(item));
}

inline constexpr std::uint16_t kNoHeader = 0xffff;

/// Offsets from the frame's first byte. A header that is named here lies in the packet as a whole,
/// options and extension headers included; in its first part, where it has two.
struct Layers {
  std::uint16_t items = item_bit(Item::kMeta);  ///< parts of a fragmented packet have no L4 here
  std::uint16_t ethernet = kNoHeader;
  std::uint16_t ethertype = 0;                     ///< behind the VLAN tags
  std::uint16_t vlan[2] = {kNoHeader, kNoHeader};  ///< of tag control information, outermost first
  std::uint16_t l3_offset = kNoHeader;
  std::uint16_t l4_offset = kNoHeader;
  std::uint16_t payload = 0;  ///< behind the last header that was understood
  std::uint16_t end = 0;      ///< of the packet: what IP leaves out after it is padding; and of its
                              ///< first part, where it has two
  std::uint16_t ecpri_offset = kNoHeader;
  L3 l3 = L3::kNone;
  L4 l4 = L4::kNone;
  std::uint8_t protocol = 0;  ///< of IP, behind extension headers
  /// A part of a fragmented packet. l4 is known of the first part only, and only its checksum may
  /// be used: ports would tell the parts of one packet apart.
  bool fragment = false;
  /// IPv6 with a routing header that has segments left: the destination's address is the next hop,
  /// and the pseudo-header's is another one (RFC 8200, 8.1).
  bool routed = false;
};

struct Headers {
  Layers outer;
  Layers inner;  ///< of a tunnel
  Tunnel tunnel = Tunnel::kNone;
  std::uint16_t tunnel_offset = kNoHeader;
  /// Some header is cut off or contradicts itself; it is not named above.
  bool malformed = false;
  /// Some header is not, or not all, in the first part of a packet that has two. It is not named
  /// above, nor is what comes after it.
  bool beyond = false;
};

/// What is at `data` is the packet, or where a queue splits headers from data, its first part:
/// length - rest_length bytes.
struct PacketView {
  std::uint8_t* data;
  std::uint32_t length;     ///< bytes of the packet, without FCS
  std::uint32_t flow_mark;  ///< what a flow rule said, 0: nothing
  std::uint32_t tag;        ///< what a stage said, 0: nothing
  Headers headers;
  std::uint8_t* rest = nullptr;   ///< the other part
  std::uint32_t rest_length = 0;  ///< its bytes
};

RS_DEVICE constexpr std::uint32_t bytes_at_data(const PacketView& packet) {
  return packet.length - packet.rest_length;
}

}  // namespace ringside::stages
