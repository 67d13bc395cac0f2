// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/field.hpp"

#include <algorithm>

namespace ringside::pipeline {
namespace {

constexpr ItemInfo kItems[] = {
    {Item::kEth, "eth", "Ethernet header"},
    {Item::kVlan, "vlan", "IEEE 802.1Q tag"},
    {Item::kArp, "arp", "ARP for IPv4 over Ethernet"},
    {Item::kIpv4, "ipv4", "IPv4 header"},
    {Item::kIpv6, "ipv6", "IPv6 header"},
    {Item::kIcmp, "icmp", "ICMP for IPv4"},
    {Item::kIcmp6, "icmp6", "ICMPv6"},
    {Item::kTcp, "tcp", "TCP header"},
    {Item::kUdp, "udp", "UDP header"},
    {Item::kVxlan, "vxlan", "VXLAN header (RFC 7348)"},
    {Item::kGtpu, "gtpu", "GTP-U header (3GPP TS 29.281)"},
    {Item::kEcpri, "ecpri", "eCPRI common header (eCPRI 2.0)"},
    {Item::kMeta, "meta", "what the NIC or a stage says of the packet"},
};

using enum FieldForm;

constexpr FieldInfo kFields[] = {
    {Field::kEthDst, Item::kEth, "dst", 48, kMac, true, "destination MAC address"},
    {Field::kEthSrc, Item::kEth, "src", 48, kMac, true, "source MAC address"},
    {Field::kEthType, Item::kEth, "type", 16, kNumber, false, "EtherType, behind VLAN tags"},
    {Field::kVlanVid, Item::kVlan, "vid", 12, kNumber, true, "VLAN id"},
    {Field::kVlanPcp, Item::kVlan, "pcp", 3, kNumber, true, "priority code point"},
    {Field::kArpOpcode, Item::kArp, "opcode", 16, kNumber, false, "1 request, 2 reply"},
    {Field::kIpv4Src, Item::kIpv4, "src", 32, kIpv4, true, "source address"},
    {Field::kIpv4Dst, Item::kIpv4, "dst", 32, kIpv4, true, "destination address"},
    {Field::kIpv4Proto, Item::kIpv4, "proto", 8, kNumber, false, "next protocol id"},
    {Field::kIpv4Tos, Item::kIpv4, "tos", 8, kNumber, true, "type of service: DSCP and ECN"},
    {Field::kIpv4Ttl, Item::kIpv4, "ttl", 8, kNumber, true, "time to live"},
    {Field::kIpv6Src, Item::kIpv6, "src", 128, kIpv6, true, "source address"},
    {Field::kIpv6Dst, Item::kIpv6, "dst", 128, kIpv6, true, "destination address"},
    {Field::kIpv6Proto, Item::kIpv6, "proto", 8, kNumber, false, "next header"},
    {Field::kIpv6Tc, Item::kIpv6, "tc", 8, kNumber, true, "traffic class"},
    {Field::kIpv6Hop, Item::kIpv6, "hop", 8, kNumber, true, "hop limit"},
    {Field::kIcmpType, Item::kIcmp, "type", 8, kNumber, false, "message type"},
    {Field::kIcmpCode, Item::kIcmp, "code", 8, kNumber, false, "message code"},
    {Field::kIcmp6Type, Item::kIcmp6, "type", 8, kNumber, false, "message type"},
    {Field::kIcmp6Code, Item::kIcmp6, "code", 8, kNumber, false, "message code"},
    {Field::kTcpSrc, Item::kTcp, "src", 16, kNumber, true, "source port"},
    {Field::kTcpDst, Item::kTcp, "dst", 16, kNumber, true, "destination port"},
    {Field::kTcpFlags, Item::kTcp, "flags", 8, kNumber, false,
     "FIN 1, SYN 2, RST 4, PSH 8, ACK 16"},
    {Field::kUdpSrc, Item::kUdp, "src", 16, kNumber, true, "source port"},
    {Field::kUdpDst, Item::kUdp, "dst", 16, kNumber, true, "destination port"},
    {Field::kVxlanVni, Item::kVxlan, "vni", 24, kNumber, false, "network identifier"},
    {Field::kGtpuTeid, Item::kGtpu, "teid", 32, kNumber, false, "tunnel endpoint identifier"},
    {Field::kEcpriType, Item::kEcpri, "type", 8, kNumber, false, "message type"},
    {Field::kEcpriPcId, Item::kEcpri, "pc_id", 16, kNumber, false,
     "id of the data flow, in messages of type 0 to 2"},
    {Field::kMetaMark, Item::kMeta, "mark", 24, kNumber, false, "set by the flow action mark"},
    {Field::kMetaTag, Item::kMeta, "tag", 32, kNumber, false, "set by the stage lookup"},
    {Field::kMetaLength, Item::kMeta, "length", 16, kNumber, false, "bytes of the frame, no FCS"},
};

FieldBits masked(const FieldBits& bits, const FieldBits& mask) {
  FieldBits result;
  for (std::size_t i = 0; i < bits.size(); ++i) result[i] = bits[i] & mask[i];
  return result;
}

bool covers(const FieldMatch& wide, const FieldMatch& narrow) {
  // A range is over the whole field, so its mask has all bits.
  if (masked(narrow.mask, wide.mask) != wide.mask) return false;
  if (narrow.first == narrow.last) {
    const FieldBits value = masked(narrow.first, wide.mask);
    return wide.first <= value && value <= wide.last;
  }
  return wide.mask == narrow.mask && wide.first <= narrow.first && narrow.last <= wide.last;
}

bool covers(const ItemMatch& wide, const ItemMatch& narrow) {
  if (wide.item != narrow.item || wide.inner != narrow.inner) return false;
  return std::ranges::all_of(wide.fields, [&narrow](const FieldMatch& field) {
    return std::ranges::any_of(narrow.fields, [&field](const FieldMatch& other) {
      return field.field == other.field && covers(field, other);
    });
  });
}

struct Implied {
  Item item, by;
};
constexpr Implied kImplied[] = {{Item::kUdp, Item::kVxlan},
                                {Item::kUdp, Item::kGtpu},
                                {Item::kIpv4, Item::kIcmp},
                                {Item::kIpv6, Item::kIcmp6}};
struct ImpliedValue {
  Field field;
  Item by;
  std::uint16_t value;
};
constexpr ImpliedValue kImpliedValues[] = {
    {Field::kEthType, Item::kArp, 0x0806},  {Field::kEthType, Item::kIpv4, 0x0800},
    {Field::kEthType, Item::kIpv6, 0x86dd}, {Field::kIpv4Proto, Item::kIcmp, 1},
    {Field::kIpv4Proto, Item::kTcp, 6},     {Field::kIpv4Proto, Item::kUdp, 17},
    {Field::kIpv6Proto, Item::kIcmp6, 58},  {Field::kIpv6Proto, Item::kTcp, 6},
    {Field::kIpv6Proto, Item::kUdp, 17}};

ItemMatch* find_item(Match& match, Item item, bool inner) {
  for (ItemMatch& one : match.items) {
    if (one.item == item && one.inner == inner) return &one;
  }
  return nullptr;
}

/// With the headers and values that those it names do not come without.
Match completed(Match match) {
  if (find_item(match, Item::kEth, false) == nullptr)
    match.items.push_back({Item::kEth, false, {}});
  for (const bool inner : {false, true}) {
    for (const auto& [item, by] : kImplied) {
      if (find_item(match, by, inner) == nullptr) continue;
      if (find_item(match, item, inner) == nullptr) match.items.push_back({item, inner, {}});
    }
    for (const auto& [field, by, value] : kImpliedValues) {
      ItemMatch* const item = find_item(match, field_info(field).item, inner);
      if (item == nullptr || find_item(match, by, inner) == nullptr) continue;
      const auto same = [field = field](const FieldMatch& one) { return one.field == field; };
      if (std::ranges::any_of(item->fields, same)) continue;
      FieldMatch& implied = item->fields.emplace_back(FieldMatch{.field = field});
      const std::size_t bytes = field_info(field).bits / 8U;
      for (std::size_t i = 0; i < bytes; ++i) {
        implied.mask[15 - i] = 0xff;
        implied.first[15 - i] = static_cast<std::uint8_t>(value >> (8 * i));
      }
      implied.last = implied.first;
    }
  }
  return match;
}

}  // namespace

std::span<const ItemInfo> all_items() {
  return kItems;
}

const ItemInfo& item_info(Item item) {
  return kItems[static_cast<std::size_t>(item)];
}

std::span<const FieldInfo> all_fields() {
  return kFields;
}

const FieldInfo& field_info(Field field) {
  return kFields[static_cast<std::size_t>(field)];
}

bool covers(const Match& wide, const Match& narrow) {
  const Match whole = completed(narrow);
  return std::ranges::all_of(wide.items, [&whole](const ItemMatch& item) {
    return std::ranges::any_of(whole.items,
                               [&item](const ItemMatch& other) { return covers(item, other); });
  });
}

}  // namespace ringside::pipeline
