// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/wire/internet_checksum.hpp"

#include <cstddef>

namespace softcx {
namespace {

using Bytes = std::span<std::uint8_t>;

constexpr std::uint16_t kEtherIpv4 = 0x0800, kEtherIpv6 = 0x86dd;
constexpr std::uint16_t kEtherVlan = 0x8100, kEtherQinq = 0x88a8, kEtherBridging = 0x6558;
constexpr std::uint8_t kIpv4InIp = 4, kTcp = 6, kUdp = 17, kIpv6InIp = 41, kGre = 47;
constexpr std::uint16_t kVxlanPort = 4789;

std::uint16_t read16(Bytes bytes, std::size_t at) {
  return static_cast<std::uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}

void write16(Bytes bytes, std::size_t at, std::uint16_t value) {
  bytes[at] = static_cast<std::uint8_t>(value >> 8);
  bytes[at + 1] = static_cast<std::uint8_t>(value);
}

std::uint64_t sum(Bytes bytes) {
  std::uint64_t total = 0;
  std::size_t at = 0;
  for (; at + 1 < bytes.size(); at += 2) total += read16(bytes, at);
  if (at < bytes.size()) total += static_cast<std::uint64_t>(bytes[at]) << 8;
  return total;
}

std::uint16_t fold(std::uint64_t total) {
  while ((total >> 16) != 0) total = (total & 0xffff) + (total >> 16);
  return static_cast<std::uint16_t>(~total);
}

struct IpPacket {
  Bytes header;   ///< empty: no IP packet
  Bytes payload;  ///< empty: a fragment, or layer 4 is out of reach
  Bytes addresses;
  std::uint8_t protocol = 0;
  bool v4 = false;
};

IpPacket parse_ipv4(Bytes ip) {
  if (ip.size() < 20 || (ip[0] >> 4) != 4) return {};
  const std::size_t header = std::size_t{ip[0] & 0xfU} * 4;
  const std::size_t total = read16(ip, 2);
  if (header < 20 || total < header || total > ip.size()) return {};
  IpPacket packet{ip.first(header), {}, ip.subspan(12, 8), ip[9], true};
  const bool fragment = (read16(ip, 6) & 0x3fffU) != 0;
  if (!fragment) packet.payload = ip.subspan(header, total - header);
  return packet;
}

/// Moves on to the upper layer (RFC 8200). A fragment, and a packet whose pseudo header needs a
/// destination that a routing header still holds, have no payload then.
void skip_extensions(IpPacket& packet) {
  constexpr std::uint8_t kHopByHop = 0, kRouting = 43, kFragment = 44, kOptions = 60;
  constexpr std::uint16_t kOffsetOrMore = 0xfff9;
  Bytes& rest = packet.payload;
  while (packet.protocol == kHopByHop || packet.protocol == kRouting ||
         packet.protocol == kFragment || packet.protocol == kOptions) {
    if (rest.size() < 8) return void(rest = {});
    const bool fragment = packet.protocol == kFragment;
    const std::size_t length = fragment ? 8 : (std::size_t{rest[1]} + 1) * 8;
    const bool not_last = packet.protocol == kRouting && rest[3] != 0;
    const bool part = fragment && (read16(rest, 2) & kOffsetOrMore) != 0;
    if (length > rest.size() || not_last || part) return void(rest = {});
    packet.protocol = rest[0];
    rest = rest.subspan(length);
  }
}

IpPacket parse_ipv6(Bytes ip) {
  if (ip.size() < 40 || (ip[0] >> 4) != 6) return {};
  const std::size_t payload = read16(ip, 4);
  if (payload > ip.size() - 40) return {};
  IpPacket packet{ip.first(40), ip.subspan(40, payload), ip.subspan(8, 32), ip[6], false};
  skip_extensions(packet);
  return packet;
}

IpPacket parse_ip(std::uint16_t type, Bytes ip) {
  if (type == kEtherIpv4) return parse_ipv4(ip);
  if (type == kEtherIpv6) return parse_ipv6(ip);
  return {};
}

IpPacket find_outer(Bytes frame) {
  std::size_t at = 12;
  for (int tags = 0; tags <= 2 && at + 2 <= frame.size(); ++tags, at += 4) {
    const std::uint16_t type = read16(frame, at);
    if (type != kEtherVlan && type != kEtherQinq) return parse_ip(type, frame.subspan(at + 2));
  }
  return {};
}

/// What lies in GRE (RFC 2784, 2890): an IP packet, or a frame.
IpPacket find_in_gre(Bytes gre) {
  constexpr std::uint8_t kChecksum = 0x80, kRouting = 0x40, kKey = 0x20, kSequence = 0x10;
  if (gre.size() < 4 || (gre[0] & kRouting) != 0 || (gre[1] & 7) != 0) return {};
  std::size_t size = 4;
  for (const std::uint8_t flag : {kChecksum, kKey, kSequence}) size += (gre[0] & flag) != 0 ? 4 : 0;
  if (size > gre.size()) return {};
  const std::uint16_t type = read16(gre, 2);
  return type == kEtherBridging ? find_outer(gre.subspan(size)) : parse_ip(type, gre.subspan(size));
}

/// The packet in a tunnel: VXLAN (RFC 7348), GRE or IP in IP.
IpPacket find_inner(Bytes frame) {
  constexpr std::size_t kUdpHeader = 8, kVxlanHeader = 8;
  const IpPacket outer = find_outer(frame);
  switch (outer.protocol) {
    case kUdp:
      if (outer.payload.size() < kUdpHeader + kVxlanHeader) return {};
      if (read16(outer.payload, 2) != kVxlanPort) return {};
      return find_outer(outer.payload.subspan(kUdpHeader + kVxlanHeader));
    case kGre:
      return find_in_gre(outer.payload);
    case kIpv4InIp:
      return parse_ipv4(outer.payload);
    case kIpv6InIp:
      return parse_ipv6(outer.payload);
    default:
      return {};
  }
}

IpPacket find(Bytes frame, Headers headers) {
  return headers == Headers::kOuter ? find_outer(frame) : find_inner(frame);
}

}  // namespace

void write_ipv4_checksum(Bytes frame, Headers headers) {
  const IpPacket packet = find(frame, headers);
  if (packet.header.empty() || !packet.v4) return;
  write16(packet.header, 10, 0);
  write16(packet.header, 10, fold(sum(packet.header)));
}

void write_l4_checksum(Bytes frame, Headers headers) {
  const IpPacket packet = find(frame, headers);
  if (packet.protocol != kTcp && packet.protocol != kUdp) return;
  const bool udp = packet.protocol == kUdp;
  const std::size_t field = udp ? 6 : 16;
  if (packet.payload.size() < (udp ? 8U : 20U)) return;
  write16(packet.payload, field, 0);
  const std::uint64_t pseudo_header =
      sum(packet.addresses) + packet.payload.size() + packet.protocol;
  std::uint16_t checksum = fold(pseudo_header + sum(packet.payload));
  if (udp && checksum == 0) checksum = 0xffff;  // 0 would say 'no checksum' (RFC 768)
  write16(packet.payload, field, checksum);
}

}  // namespace softcx
