// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Turns an echo request into its reply, in place (RFC 792, RFC 4443), and an ARP request into its
// answer (RFC 826).
#pragma once

#include <cstring>

#include "kernels/stages/checksum.hpp"
#include "kernels/stages/field.hpp"
#include "kernels/stages/rewrite.hpp"
#include "kernels/stages/swap.hpp"
#include "lib/device/stream.hpp"

namespace ringside::stages {

struct IcmpEchoParameters {
  bool arp;
  std::uint32_t count;      ///< 0: requests to any address
  FieldValue addresses[1];  ///< [count] IPv4 ones have high == 0
};

/// The same to those who use it.
struct IcmpEcho {
  bool arp;
  std::uint32_t count;
  const FieldValue* addresses;
};

inline constexpr std::uint8_t kReplyTtl = 64;  // what RFC 1700 recommends for a packet of one's own

RS_DEVICE bool is_own(const IcmpEcho& parameters, const FieldValue& address) {
  if (parameters.count == 0) return true;
  for (std::uint32_t i = 0; i < parameters.count; ++i) {
    const FieldValue& own = parameters.addresses[i];
    if (own.high == address.high && own.low == address.low) return true;
  }
  return false;
}

/// A request for Ethernet and IPv4. The frame is padded or not; what lies behind ARP stays.
RS_DEVICE bool answer_arp(PacketView& packet, const IcmpEcho& parameters, const MacAddress& mac) {
  const Layers& layers = packet.headers.outer;
  if (layers.ethertype != kEthertypeArp || layers.end - layers.payload < 28) return false;
  std::uint8_t* const arp = packet.data + layers.payload;
  const bool request = load16(arp) == 1 && load16(arp + 2) == kEthertypeIpv4 && arp[4] == 6 &&
                       arp[5] == 4 && load16(arp + 6) == 1;
  if (!request || !is_own(parameters, {0, load32(arp + 24)})) return false;
  std::uint8_t* const ethernet = packet.data + layers.ethernet;
  memcpy(ethernet, ethernet + 6, 6);
  memcpy(ethernet + 6, mac.bytes, 6);
  store16(arp + 6, 2);
  swap_bytes(arp + 8, arp + 18, 10);  // sender's and target's
  memcpy(arp + 8, mac.bytes, 6);
  return true;
}

/// Requests to all or from nobody in particular get no reply: it would go to many. Nor do those
/// that a routing header leads on from here.
RS_DEVICE bool answer_echo(PacketView& packet, const IcmpEcho& parameters) {
  const Layers& layers = packet.headers.outer;
  const bool v4 = layers.l4 == L4::kIcmp;
  if ((!v4 && layers.l4 != L4::kIcmpv6) || layers.fragment || layers.routed) return false;
  std::uint8_t* const icmp = packet.data + layers.l4_offset;
  if (load16(icmp) != (v4 ? 0x0800 : 0x8000)) return false;
  const std::uint8_t* const ethernet = packet.data + layers.ethernet;
  if (((ethernet[0] | ethernet[6]) & 1) != 0) return false;
  FieldValue destination{};
  load_field(packet, v4 ? Field::kIpv4Dst : Field::kIpv6Dst, false, destination);
  if (!is_own(parameters, destination)) return false;
  swap_macs(packet);
  swap_ips(packet);
  write_field(packet, v4 ? Field::kIpv4Ttl : Field::kIpv6Hop, {0, kReplyTtl});
  ChecksumChange change;
  put_word(icmp, v4 ? 0x0000 : 0x8100, change);
  apply_change_l4(packet, layers, change, false);
  return true;
}

/// true: the packet is an answer now.
RS_DEVICE bool run_icmp_echo(PacketView& packet, const IcmpEcho& parameters,
                             const MacAddress& mac) {
  if (parameters.arp && answer_arp(packet, parameters, mac)) return true;
  return answer_echo(packet, parameters);
}

}  // namespace ringside::stages
