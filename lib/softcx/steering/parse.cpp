// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/steering/parse.hpp"

#include <algorithm>

#include "lib/mlx5/format/cqe.hpp"
#include "lib/softcx/steering/checksum.hpp"

namespace softcx {
namespace {

constexpr std::uint16_t kEthertypeIpv4 = 0x0800;
constexpr std::uint16_t kEthertypeIpv6 = 0x86dd;
constexpr std::uint16_t kEthertypeCvlan = 0x8100;
constexpr std::uint16_t kEthertypeSvlan = 0x88a8;
constexpr std::uint16_t kEthertypeBridging = 0x6558;  // Ethernet in GRE

constexpr std::uint8_t kHopByHop = 0, kIcmp = 1, kIpv4InIp = 4, kTcp = 6, kUdp = 17;
constexpr std::uint8_t kIpv6InIp = 41, kRouting = 43, kFragmentHeader = 44, kGre = 47, kEsp = 50;
constexpr std::uint8_t kIcmpv6 = 58, kDestinationOptions = 60;

constexpr std::uint16_t kVxlanPort = 4789;

std::uint16_t load16(const std::uint8_t* at) noexcept {
  return static_cast<std::uint16_t>(at[0] << 8 | at[1]);
}

/// What is left of the headers, and how far the packet goes (beyond them, where it is longer).
struct Rest {
  const std::uint8_t* at;
  std::size_t readable;
  std::size_t length;

  bool has(std::size_t bytes) const noexcept { return readable >= bytes; }
  Rest after(std::size_t bytes) const noexcept {
    return {at + bytes, readable - bytes, length - bytes};
  }
  /// Cut to the length that a header claims: what follows is padding.
  Rest cut(std::size_t bytes) const noexcept {
    return {at, std::min(readable, bytes), std::min(length, bytes)};
  }
};

class Parser {
 public:
  Parser(const std::uint8_t* frame, ParsedPacket& packet) noexcept
      : frame_(frame), packet_(packet), key_(packet.key) {}

  void ethernet(Rest rest) noexcept {
    if (!rest.has(14)) return;
    LayerKey& layer = this->layer();
    std::memcpy(layer.destination_mac, rest.at, 6);
    std::memcpy(layer.source_mac, rest.at + 6, 6);
    std::uint16_t ethertype = load16(rest.at + 12);
    rest = rest.after(14);
    if (!inner_) packet_.facts.header_flags = ringside::kCqeL2Ok;
    for (int tag = 0; tag < 2 && is_vlan(ethertype) && rest.has(4); ++tag, rest = rest.after(4)) {
      vlan(tag, ethertype, rest);
      ethertype = load16(rest.at + 2);
    }
    layer.ethertype = Be16::of(ethertype);
    network(ethertype, rest);
  }

 private:
  static bool is_vlan(std::uint16_t ethertype) noexcept {
    return ethertype == kEthertypeCvlan || ethertype == kEthertypeSvlan;
  }

  LayerKey& layer() noexcept { return inner_ ? key_.inner : key_.outer; }
  Layers& layers() noexcept { return inner_ ? packet_.inner : packet_.outer; }

  void vlan(int tag, std::uint16_t ethertype, Rest rest) noexcept {
    const Be16 tci = Be16::of(load16(rest.at));
    const bool customer = ethertype == kEthertypeCvlan;
    if (tag == 0) {
      layer().kinds |= customer ? LayerKey::kCvlanTag : LayerKey::kSvlanTag;
      layer().first_tci = tci;
    } else if (inner_) {
      key_.misc.second_tags |= customer ? MiscKey::kInnerSecondCvlan : MiscKey::kInnerSecondSvlan;
      key_.misc.inner_second_tci = tci;
    } else {
      key_.misc.second_tags |= customer ? MiscKey::kOuterSecondCvlan : MiscKey::kOuterSecondSvlan;
      key_.misc.outer_second_tci = tci;
    }
  }

  void network(std::uint16_t ethertype, Rest rest) noexcept {
    if (ethertype == kEthertypeIpv4) {
      ipv4(rest);
    } else if (ethertype == kEthertypeIpv6) {
      ipv6(rest);
    }
  }

  void set_version(std::uint8_t version) noexcept {
    layer().kinds |= static_cast<std::uint8_t>(version << LayerKey::kIpVersionShift);
  }

  void ipv4(Rest rest) noexcept {
    if (!rest.has(20) || rest.at[0] >> 4 != 4) return;
    const std::size_t header = 4U * (rest.at[0] & 15U);
    const std::size_t total = load16(rest.at + 2);
    if (header < 20 || !rest.has(header) || total < header) return;

    LayerKey& layer = this->layer();
    layers().l3 = L3::kIpv4;
    set_version(4);
    layer.ip_tos = rest.at[1];
    layer.hop_limit = rest.at[8];
    layer.ip_protocol = rest.at[9];
    std::memcpy(layer.source_ip + 12, rest.at + 12, 4);
    std::memcpy(layer.destination_ip + 12, rest.at + 16, 4);
    const bool checksum_ok = checksum_right(checksum_add(0, {rest.at, header}));
    layer.ihl_and_ok = static_cast<std::uint8_t>(rest.at[0] << 4);
    if (checksum_ok) layer.ihl_and_ok |= LayerKey::kL3Ok | LayerKey::kIpv4ChecksumOk;
    const bool fragment = (load16(rest.at + 6) & 0x3fff) != 0;  // more fragments, or an offset
    l3_facts(ringside::kCqeL3Ipv4, checksum_ok, header > 20, fragment);
    if (fragment) {
      layer.kinds |= LayerKey::kFragment;
      return;
    }
    const bool whole = total <= rest.length;
    pseudo_sum_ = whole ? checksum_add(0, {rest.at + 12, 8}) : kNoChecksum;
    transport(layer.ip_protocol, rest.cut(total).after(header));
  }

  void ipv6(Rest rest) noexcept {
    if (!rest.has(40) || rest.at[0] >> 4 != 6) return;
    LayerKey& layer = this->layer();
    layers().l3 = L3::kIpv6;
    set_version(6);
    layer.ip_tos = static_cast<std::uint8_t>(rest.at[0] << 4 | rest.at[1] >> 4);
    const std::uint32_t flow_label = std::uint32_t{rest.at[1]} << 16 | load16(rest.at + 2);
    (inner_ ? key_.misc.inner_flow_label : key_.misc.outer_flow_label) =
        Be32::of(flow_label & 0xfffff);
    layer.hop_limit = rest.at[7];
    layer.ihl_and_ok = LayerKey::kL3Ok;
    std::memcpy(layer.source_ip, rest.at + 8, 32);  // and the destination behind it
    const std::size_t total = 40U + load16(rest.at + 4);
    pseudo_sum_ = total <= rest.length ? checksum_add(0, {rest.at + 8, 32}) : kNoChecksum;
    const std::uint8_t next = rest.at[6];
    extensions(next, rest.cut(total).after(40));
  }

  /// Walks to the upper layer. The key's protocol is the last one that was reached.
  void extensions(std::uint8_t next, Rest rest) noexcept {
    bool extended = false;
    bool fragment = false;
    bool reached = true;
    while (next == kHopByHop || next == kRouting || next == kDestinationOptions ||
           next == kFragmentHeader) {
      extended = true;
      const std::size_t size = next == kFragmentHeader ? 8
                               : rest.has(8)           ? 8U * (rest.at[1] + std::size_t{1})
                                                       : 8;
      if (!rest.has(size)) {
        reached = false;
        break;
      }
      // The pseudo header holds the final destination, which is still in the routing header.
      if (next == kRouting && rest.at[3] != 0) pseudo_sum_ = kNoChecksum;
      fragment = fragment || next == kFragmentHeader;
      next = rest.at[0];
      rest = rest.after(size);
      if (fragment) break;
    }
    layer().ip_protocol = next;
    l3_facts(ringside::kCqeL3Ipv6, true, extended, fragment);
    if (fragment) layer().kinds |= LayerKey::kFragment;
    if (reached && !fragment) transport(next, rest);
  }

  void l3_facts(std::uint8_t type, bool ok, bool options, bool fragment) noexcept {
    if (inner_) return;
    HeaderFacts& facts = packet_.facts;
    facts.header_types |= type;
    if (ok) facts.header_flags |= ringside::kCqeL3Ok;
    if (options) facts.header_types |= ringside::kCqeIpOptions;
    if (fragment) facts.header_types |= ringside::kCqeIpFragment;
  }

  void transport(std::uint8_t protocol, Rest rest) noexcept {
    switch (protocol) {
      case kTcp:
        return tcp(rest);
      case kUdp:
        return udp(rest);
      case kIcmp:
        if (layers().l3 == L3::kIpv4) icmp(rest);
        return;
      case kIcmpv6:
        if (layers().l3 == L3::kIpv6) icmpv6(rest);
        return;
      case kEsp:
        return esp(rest);
      case kGre:
        return gre(rest);
      case kIpv4InIp:
        return tunnel(kEthertypeIpv4, rest);
      case kIpv6InIp:
        return tunnel(kEthertypeIpv6, rest);
      default:
        return;
    }
  }

  void tcp(Rest rest) noexcept {
    if (!rest.has(20) || rest.at[12] >> 4 < 5) return;
    LayerKey& layer = this->layer();
    layers().l4 = L4::kTcp;
    layer.tcp_source = Be16::of(load16(rest.at));
    layer.tcp_destination = Be16::of(load16(rest.at + 2));
    layer.kinds |= rest.at[12] & 1;
    layer.tcp_flags = rest.at[13];
    std::memcpy(inner_ ? &key_.misc3.inner_tcp_sequence : &key_.misc3.outer_tcp_sequence,
                rest.at + 4, 4);
    std::memcpy(
        inner_ ? &key_.misc3.inner_tcp_acknowledgement : &key_.misc3.outer_tcp_acknowledgement,
        rest.at + 8, 4);
    l4_facts(ringside::kCqeL4Tcp, kTcp, rest, rest.length);
  }

  void udp(Rest rest) noexcept {
    if (!rest.has(8)) return;
    LayerKey& layer = this->layer();
    layers().l4 = L4::kUdp;
    const std::uint16_t destination = load16(rest.at + 2);
    const std::uint16_t length = load16(rest.at + 4);
    layer.udp_source = Be16::of(load16(rest.at));
    layer.udp_destination = Be16::of(destination);
    const bool summed = load16(rest.at + 6) != 0;
    if (!summed && !inner_ && layers().l3 == L3::kIpv4) {
      packet_.facts.header_flags |= ringside::kCqeL4Ok;  // the sender left the checksum out
    }
    l4_facts(ringside::kCqeL4Udp, kUdp, rest, summed ? length : 0);
    if (destination == kVxlanPort && !inner_) vxlan(rest.after(8));
  }

  /// `length`: of the bytes that the checksum covers, 0 for no checksum.
  void l4_facts(std::uint8_t type, std::uint8_t protocol, Rest rest, std::size_t length) noexcept {
    if (inner_) return;
    HeaderFacts& facts = packet_.facts;
    facts.header_types |= type;
    if (pseudo_sum_ == kNoChecksum || length < 8 || length > rest.length) return;
    facts.l4_offset = static_cast<std::uint16_t>(rest.at - frame_);
    facts.l4_length = static_cast<std::uint16_t>(length);
    facts.l4_pseudo_sum =
        checksum_fold(pseudo_sum_ + Be16::of(protocol).raw + Be16::of(facts.l4_length).raw);
  }

  void icmp(Rest rest) noexcept {
    if (!rest.has(8)) return;
    key_.misc3.icmp_type = rest.at[0];
    key_.misc3.icmp_code = rest.at[1];
    std::memcpy(key_.misc3.icmp_header_data, rest.at + 4, 4);
  }

  void icmpv6(Rest rest) noexcept {
    if (!rest.has(8)) return;
    key_.misc3.icmpv6_type = rest.at[0];
    key_.misc3.icmpv6_code = rest.at[1];
    std::memcpy(key_.misc3.icmpv6_header_data, rest.at + 4, 4);
  }

  void esp(Rest rest) noexcept {
    if (!rest.has(8)) return;
    std::memcpy(inner_ ? &key_.misc.inner_esp_spi : &key_.misc.outer_esp_spi, rest.at, 4);
  }

  void vxlan(Rest rest) noexcept {
    if (!rest.has(8)) return;
    std::memcpy(key_.misc.vxlan_vni, rest.at + 4, 3);
    inner_ = true;
    ethernet(rest.after(8));
  }

  void gre(Rest rest) noexcept {
    constexpr std::uint8_t kChecksum = 0x80, kKey = 0x20, kSequence = 0x10;
    if (inner_ || !rest.has(4)) return;
    const std::uint8_t flags = rest.at[0] & (kChecksum | kKey | kSequence);
    const std::size_t key_offset = (flags & kChecksum) != 0 ? 8 : 4;
    const std::size_t size =
        key_offset + ((flags & kKey) != 0 ? 4 : 0) + ((flags & kSequence) != 0 ? 4 : 0);
    const bool version0 =
        (rest.at[0] & 0x40) == 0 && (rest.at[1] & 7) == 0;  // nor RFC 1701 routing
    if (!version0 || !rest.has(size)) return;
    key_.misc.gre_flags = flags;
    const std::uint16_t protocol = load16(rest.at + 2);
    key_.misc.gre_protocol = Be16::of(protocol);
    if ((flags & kKey) != 0) std::memcpy(key_.misc.gre_key, rest.at + key_offset, 4);
    if (protocol == kEthertypeBridging) {
      inner_ = true;
      ethernet(rest.after(size));
    } else {
      tunnel(protocol, rest.after(size));
    }
  }

  void tunnel(std::uint16_t ethertype, Rest rest) noexcept {
    if (inner_) return;
    inner_ = true;
    network(ethertype, rest);
  }

  static constexpr std::uint64_t kNoChecksum = ~std::uint64_t{0};

  const std::uint8_t* frame_;
  ParsedPacket& packet_;
  FlowKey& key_;
  std::uint64_t pseudo_sum_ = kNoChecksum;
  bool inner_ = false;
};

}  // namespace

void parse_packet(std::span<const std::uint8_t> headers, std::uint32_t frame_length,
                  ParsedPacket& packet) noexcept {
  std::memset(&packet.key, 0, sizeof packet.key);  // an assignment would clear a copy and move it
  packet.outer = packet.inner = Layers{};
  packet.facts = HeaderFacts{};
  const std::size_t length = std::max<std::size_t>(headers.size(), frame_length);
  Parser(headers.data(), packet).ethernet({headers.data(), headers.size(), length});
}

}  // namespace softcx
