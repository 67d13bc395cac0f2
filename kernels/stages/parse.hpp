// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Finds the headers of a packet: Ethernet, up to two VLAN tags, IPv4 (RFC 791), IPv6 and its
// extension headers (RFC 8200), TCP, UDP, ICMP, eCPRI, and what VXLAN (RFC 7348) and GTP-U
// (TS 29.281) carry. A header that is cut off or contradicts itself ends the search: the packet is
// malformed, and what was found before it stands. So does a header that is not in the first part of
// a packet in two parts. No byte outside the packet, or that part, is read.
#pragma once

#include <cstdint>

#include "kernels/stages/bytes.hpp"
#include "kernels/stages/packet_view.hpp"

namespace ringside::stages {

inline constexpr std::uint16_t kEthertypeIpv4 = 0x0800;
inline constexpr std::uint16_t kEthertypeArp = 0x0806;
inline constexpr std::uint16_t kEthertypeIpv6 = 0x86dd;

inline constexpr std::uint8_t kProtocolIcmp = 1;
inline constexpr std::uint8_t kProtocolTcp = 6;
inline constexpr std::uint8_t kProtocolUdp = 17;
inline constexpr std::uint8_t kProtocolIcmpv6 = 58;

/// `kSplit`: packets may be in two parts.
template <bool kSplit>
class Parser {
 public:
  RS_DEVICE Parser(const PacketView& packet, const ParseOptions& options, Headers& headers)
      : data_(packet.data),
        length_(packet.length < kNoHeader ? packet.length : kNoHeader - 1U),
        first_part_(kSplit && bytes_at_data(packet) < length_ ? bytes_at_data(packet) : length_),
        options_(options),
        headers_(headers) {}
  /// Behind another one, which has found the headers of what may carry a tunnel.
  RS_DEVICE Parser(const std::uint8_t* data, std::uint32_t length, std::uint32_t first_part,
                   std::uint32_t end, const ParseOptions& options, Headers& headers)
      : data_(data),
        length_(length),
        first_part_(first_part),
        options_(options),
        headers_(headers),
        end_(end) {}

  RS_DEVICE void outer() {
    headers_ = Headers{};
    ethernet(headers_.outer, 0, length_);
  }

  /// Behind outer(): what it has found may carry a tunnel.
  RS_DEVICE bool may_be_tunnel() const {
    const Layers& layers = headers_.outer;
    if (layers.l4 != L4::kUdp || layers.fragment) return false;
    const std::uint16_t port = load16(data_ + layers.l4_offset + 2);
    return port == options_.vxlan_port || port == options_.gtpu_port;
  }
  /// Where it may.
  RS_DEVICE Headers with_tunnel() const;
  RS_DEVICE void tunnel() {
    const std::uint16_t port = load16(data_ + headers_.outer.l4_offset + 2);
    const std::uint32_t at = headers_.outer.payload;
    const std::uint32_t end = end_;
    if (!has(at, end, 8)) return malformed();
    headers_.tunnel_offset = static_cast<std::uint16_t>(at);
    if (port == options_.vxlan_port) {
      headers_.tunnel = Tunnel::kVxlan;
      found(headers_.outer, Item::kVxlan);
      ethernet(headers_.inner, at + 8, end);
    } else if (data_[at] >> 4 == 3) {  // version 1, and GTP rather than GTP'
      headers_.tunnel = Tunnel::kGtpu;
      found(headers_.outer, Item::kGtpu);
      if (data_[at + 1] == 255) gtpu_packet(at, end);  // a G-PDU
    } else {
      malformed();
    }
  }

 private:
  RS_DEVICE bool has(std::uint32_t at, std::uint32_t end, std::uint32_t bytes) {
    if (end - at < bytes) return false;  // at <= end, always
    if (!kSplit || at + bytes <= first_part_) return true;
    headers_.beyond = true;
    return false;
  }
  RS_DEVICE void malformed() {
    if (!kSplit || !headers_.beyond) headers_.malformed = true;
  }
  RS_DEVICE static void found(Layers& layers, Item item) { layers.items |= item_bit(item); }

  RS_DEVICE void behind(Layers& layers, std::uint32_t at, std::uint32_t end) {
    end_ = end;
    layers.payload = static_cast<std::uint16_t>(at);
    layers.end = static_cast<std::uint16_t>(kSplit && end > first_part_ ? first_part_ : end);
  }

  RS_DEVICE void ethernet(Layers& layers, std::uint32_t at, std::uint32_t end) {
    behind(layers, at, end);
    if (!has(at, end, 14)) return malformed();
    layers.ethernet = static_cast<std::uint16_t>(at);
    found(layers, Item::kEth);
    std::uint16_t ethertype = load16(data_ + at + 12);
    at += 14;
    for (std::uint16_t& tag : layers.vlan) {
      if (ethertype != 0x8100 && ethertype != 0x88a8) break;
      if (!has(at, end, 4)) return malformed();
      tag = static_cast<std::uint16_t>(at);
      found(layers, Item::kVlan);
      ethertype = load16(data_ + at + 2);
      at += 4;
    }
    layers.ethertype = ethertype;
    behind(layers, at, end);
    if (ethertype == kEthertypeIpv4) {
      ipv4(layers, at, end);
    } else if (ethertype == kEthertypeIpv6) {
      ipv6(layers, at, end);
    } else if (ethertype == kEthertypeArp) {
      if (!has(at, end, 28)) return malformed();
      found(layers, Item::kArp);
    } else if (ethertype == options_.ecpri_ethertype) {
      if (!has(at, end, 4)) return malformed();
      layers.ecpri_offset = static_cast<std::uint16_t>(at);
      found(layers, Item::kEcpri);
    }
  }

  RS_DEVICE void ipv4(Layers& layers, std::uint32_t at, std::uint32_t end) {
    if (!has(at, end, 20) || data_[at] >> 4 != 4) return malformed();
    const std::uint32_t header = 4U * (data_[at] & 15U);
    const std::uint32_t total = load16(data_ + at + 2);
    if (header < 20 || total < header || !has(at, end, header)) return malformed();
    layers.l3 = L3::kIpv4;
    found(layers, Item::kIpv4);
    layers.l3_offset = static_cast<std::uint16_t>(at);
    layers.protocol = data_[at + 9];
    const std::uint32_t fragment = load16(data_ + at + 6);
    layers.fragment = (fragment & 0x3fff) != 0;  // more to come, or an offset
    end = cut(at, end, total);
    at += header;
    behind(layers, at, end);
    if ((fragment & 0x1fff) == 0) transport(layers, at, end);
  }

  /// Where a packet ends that says to have `total` bytes.
  RS_DEVICE std::uint32_t cut(std::uint32_t at, std::uint32_t end, std::uint32_t total) {
    if (total > end - at) malformed();
    return total < end - at ? at + total : end;
  }

  RS_DEVICE void ipv6(Layers& layers, std::uint32_t at, std::uint32_t end) {
    if (!has(at, end, 40) || data_[at] >> 4 != 6) return malformed();
    layers.l3 = L3::kIpv6;
    found(layers, Item::kIpv6);
    layers.l3_offset = static_cast<std::uint16_t>(at);
    std::uint8_t next = data_[at + 6];
    const std::uint32_t total = 40U + load16(data_ + at + 4);
    end = cut(at, end, total);
    at += 40;
    for (;;) {
      layers.protocol = next;
      behind(layers, at, end);
      const bool fragment = next == 44;
      // Hop-by-hop, routing and destination options say their length.
      if (!fragment && next != 0 && next != 43 && next != 60) break;
      if (!has(at, end, 8)) return malformed();
      const std::uint32_t size = fragment ? 8U : 8U * (data_[at + 1] + 1U);
      if (!has(at, end, size)) return malformed();
      if (next == 43 && data_[at + 3] != 0) layers.routed = true;
      const std::uint32_t part = fragment ? load16(data_ + at + 2) : 0U;
      layers.fragment = layers.fragment || (part & 0xfff9) != 0;  // an atomic one is whole
      next = data_[at];
      at += size;
      if ((part & 0xfff8) == 0) continue;
      layers.protocol = next;
      return behind(layers, at, end);
    }
    transport(layers, at, end);
  }

  RS_DEVICE void transport(Layers& layers, std::uint32_t at, std::uint32_t end) {
    std::uint32_t header = 8;
    L4 l4 = L4::kNone;
    Item item = Item::kTcp;
    switch (layers.protocol) {
      case kProtocolTcp:
        if (!has(at, end, 20)) return malformed();
        header = 4U * (data_[at + 12] >> 4);
        if (header < 20) return malformed();
        l4 = L4::kTcp;
        break;
      case kProtocolUdp:
        l4 = L4::kUdp;
        item = Item::kUdp;
        break;
      case kProtocolIcmp:
        if (layers.l3 != L3::kIpv4) return;
        l4 = L4::kIcmp;
        item = Item::kIcmp;
        break;
      case kProtocolIcmpv6:
        if (layers.l3 != L3::kIpv6) return;
        l4 = L4::kIcmpv6;
        item = Item::kIcmp6;
        break;
      default:
        return;
    }
    if (!has(at, end, header)) return malformed();
    if (l4 == L4::kUdp && !layers.fragment) {
      const std::uint32_t total = load16(data_ + at + 4);
      if (total < 8 || total > end - at) return malformed();
    }
    layers.l4 = l4;
    if (!layers.fragment) found(layers, item);
    layers.l4_offset = static_cast<std::uint16_t>(at);
    layers.payload = static_cast<std::uint16_t>(at + header);
  }

  RS_DEVICE void gtpu_packet(std::uint32_t at, std::uint32_t end) {
    const std::uint8_t flags = data_[at] & 0x07;
    end = cut(at, end, 8U + load16(data_ + at + 2));
    at += 8;
    if (flags != 0) {  // any of the optional fields: then all of their bytes are there
      if (!has(at, end, 4)) return malformed();
      std::uint8_t next = (flags & 0x04) != 0 ? data_[at + 3] : std::uint8_t{0};
      at += 4;
      while (next != 0) {
        if (!has(at, end, 4)) return malformed();
        const std::uint32_t size = 4U * data_[at];
        if (size == 0 || !has(at, end, size)) return malformed();
        next = data_[at + size - 1];
        at += size;
      }
    }
    behind(headers_.inner, at, end);
    if (!has(at, end, 1)) return malformed();
    if (data_[at] >> 4 == 4) {
      ipv4(headers_.inner, at, end);
    } else {
      ipv6(headers_.inner, at, end);
    }
  }

  const std::uint8_t* const data_;
  const std::uint32_t length_;
  const std::uint32_t first_part_;
  const ParseOptions options_;
  Headers& headers_;
  std::uint32_t end_ = 0;  // of the packet whose headers were found last, in whatever part
};

/// What a parser has found so far, and what it finds in a tunnel. `headers`, and all of the parser,
/// by value, so that who calls this keeps its own in registers.
template <bool kSplit>
RS_DEVICE_CALL Headers parse_tunnel(const std::uint8_t* data, std::uint32_t length,
                                    std::uint32_t first_part, std::uint32_t end,
                                    ParseOptions options, Headers headers) {
  Parser<kSplit>(data, length, first_part, end, options, headers).tunnel();
  return headers;
}

template <bool kSplit>
RS_DEVICE Headers Parser<kSplit>::with_tunnel() const {
  return parse_tunnel<kSplit>(data_, length_, first_part_, end_, options_, headers_);
}

template <bool kSplit = false>
RS_DEVICE void parse(PacketView& packet, const ParseOptions& options) {
  Parser<kSplit> parser(packet, options, packet.headers);
  parser.outer();
  if (options.tunnels && parser.may_be_tunnel()) packet.headers = parser.with_tunnel();
}

}  // namespace ringside::stages
