// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The fields that stages look at and change: where each lies and what it is.
#pragma once

#include <cstdint>

#include "kernels/stages/bytes.hpp"
#include "kernels/stages/packet_view.hpp"
#include "kernels/stages/parse.hpp"

namespace ringside::stages {

/// In the order of the packet; fields up to 64 bits have high == 0.
struct FieldValue {
  std::uint64_t high;
  std::uint64_t low;
};

RS_DEVICE bool operator<(const FieldValue& a, const FieldValue& b) {
  return a.high != b.high ? a.high < b.high : a.low < b.low;
}

/// Which checksums cover a field.
enum class Covered : std::uint8_t { kNone, kIp, kIpAndPseudo, kPseudo, kL4 };

/// What a field's offset counts from.
enum class Base : std::uint8_t { kEthernet, kVlan, kPayload, kL3, kL4, kTunnel, kEcpri, kDerived };

/// Where a field lies: `bytes` (1 to 16) at `offset` from `base`, of which it is `bits`, `shift`
/// above the lowest. Derived fields are none of the packet's bytes; the others are there where
/// their header is.
struct FieldPlace {
  Field field;
  Item item;
  Base base;
  std::uint8_t offset;
  std::uint8_t bytes;
  std::uint8_t shift;
  std::uint8_t bits;
  Covered covered;
};

/// Fields that checksums cover are whole 16-bit words of their headers, or bits of one.
RS_DEVICE FieldPlace place_of(Field field) {
  const auto at = [field](Item item, Base base, unsigned offset, unsigned bytes,
                          Covered covered = Covered::kNone) {
    return FieldPlace{field,
                      item,
                      base,
                      static_cast<std::uint8_t>(offset),
                      static_cast<std::uint8_t>(bytes),
                      0,
                      static_cast<std::uint8_t>(8 * bytes),
                      covered};
  };
  const auto bits = [field](Item item, Base base, unsigned offset, unsigned shift, unsigned count,
                            Covered covered = Covered::kNone) {
    return FieldPlace{field,
                      item,
                      base,
                      static_cast<std::uint8_t>(offset),
                      2,
                      static_cast<std::uint8_t>(shift),
                      static_cast<std::uint8_t>(count),
                      covered};
  };
  const auto derived = [&at](Item item) { return at(item, Base::kDerived, 0, 0); };
  switch (field) {
    case Field::kEthDst:
      return at(Item::kEth, Base::kEthernet, 0, 6);
    case Field::kEthSrc:
      return at(Item::kEth, Base::kEthernet, 6, 6);
    case Field::kEthType:
      return derived(Item::kEth);
    case Field::kVlanVid:
      return bits(Item::kVlan, Base::kVlan, 0, 0, 12);
    case Field::kVlanPcp:
      return bits(Item::kVlan, Base::kVlan, 0, 13, 3);
    case Field::kArpOpcode:
      return at(Item::kArp, Base::kPayload, 6, 2);
    case Field::kIpv4Src:
      return at(Item::kIpv4, Base::kL3, 12, 4, Covered::kIpAndPseudo);
    case Field::kIpv4Dst:
      return at(Item::kIpv4, Base::kL3, 16, 4, Covered::kIpAndPseudo);
    case Field::kIpv4Proto:
      return derived(Item::kIpv4);
    case Field::kIpv4Tos:
      return bits(Item::kIpv4, Base::kL3, 0, 0, 8, Covered::kIp);
    case Field::kIpv4Ttl:
      return bits(Item::kIpv4, Base::kL3, 8, 8, 8, Covered::kIp);
    case Field::kIpv6Src:
      return at(Item::kIpv6, Base::kL3, 8, 16, Covered::kPseudo);
    case Field::kIpv6Dst:
      return at(Item::kIpv6, Base::kL3, 24, 16, Covered::kPseudo);
    case Field::kIpv6Proto:
      return derived(Item::kIpv6);
    case Field::kIpv6Tc:
      return bits(Item::kIpv6, Base::kL3, 0, 4, 8);
    case Field::kIpv6Hop:
      return bits(Item::kIpv6, Base::kL3, 6, 0, 8);
    case Field::kIcmpType:
      return at(Item::kIcmp, Base::kL4, 0, 1);
    case Field::kIcmpCode:
      return at(Item::kIcmp, Base::kL4, 1, 1);
    case Field::kIcmp6Type:
      return at(Item::kIcmp6, Base::kL4, 0, 1);
    case Field::kIcmp6Code:
      return at(Item::kIcmp6, Base::kL4, 1, 1);
    case Field::kTcpSrc:
      return at(Item::kTcp, Base::kL4, 0, 2, Covered::kL4);
    case Field::kTcpDst:
      return at(Item::kTcp, Base::kL4, 2, 2, Covered::kL4);
    case Field::kTcpFlags:
      return bits(Item::kTcp, Base::kL4, 12, 0, 8, Covered::kL4);
    case Field::kUdpSrc:
      return at(Item::kUdp, Base::kL4, 0, 2, Covered::kL4);
    case Field::kUdpDst:
      return at(Item::kUdp, Base::kL4, 2, 2, Covered::kL4);
    case Field::kVxlanVni:
      return at(Item::kVxlan, Base::kTunnel, 4, 3);
    case Field::kGtpuTeid:
      return at(Item::kGtpu, Base::kTunnel, 4, 4, Covered::kL4);
    case Field::kEcpriType:
      return at(Item::kEcpri, Base::kEcpri, 1, 1);
    case Field::kEcpriPcId:
      return at(Item::kEcpri, Base::kEcpri, 4, 2);
    case Field::kMetaMark:
    case Field::kMetaTag:
    case Field::kMetaLength:
      break;
  }
  return derived(Item::kMeta);
}

RS_DEVICE std::uint32_t base_offset(const Headers& headers, const Layers& layers, Base base) {
  switch (base) {
    case Base::kEthernet:
      return layers.ethernet;
    case Base::kVlan:
      return layers.vlan[0];
    case Base::kPayload:
      return layers.payload;
    case Base::kL3:
      return layers.l3_offset;
    case Base::kL4:
      return layers.l4_offset;
    case Base::kTunnel:
      return headers.tunnel_offset;
    default:
      return layers.ecpri_offset;
  }
}

/// The field's first byte, or nullptr: the packet has no such field.
RS_DEVICE std::uint8_t* find_place(const PacketView& packet, const Layers& layers,
                                   const FieldPlace& place) {
  if ((layers.items & item_bit(place.item)) == 0) return nullptr;
  const std::uint32_t at = base_offset(packet.headers, layers, place.base) + place.offset;
  return at + place.bytes <= layers.end ? packet.data + at : nullptr;
}

RS_DEVICE FieldValue load_bytes(const std::uint8_t* at, const FieldPlace& place) {
  switch (place.bytes) {
    case 1:
      return {0, at[0]};
    case 2:
      return {0, load16(at) >> place.shift & ((1U << place.bits) - 1)};
    case 3:
      return {0, std::uint64_t{load16(at)} << 8 | at[2]};
    case 4:
      return {0, load32(at)};
    case 6:
      return {0, std::uint64_t{load16(at)} << 32 | load32(at + 2)};
    default:
      return {load64(at), load64(at + 8)};
  }
}

RS_DEVICE std::uint64_t derived_value(const PacketView& packet, const Layers& layers, Field field) {
  switch (field) {
    case Field::kEthType:
      return layers.ethertype;
    case Field::kMetaMark:
      return packet.flow_mark;
    case Field::kMetaTag:
      return packet.tag;
    case Field::kMetaLength:
      return packet.length;
    default:
      return layers.protocol;
  }
}

/// false: the packet has no such field. `inner`: of what a tunnel carries.
RS_DEVICE bool load_place(const PacketView& packet, const FieldPlace& place, bool inner,
                          FieldValue& value) {
  const Layers& layers = inner ? packet.headers.inner : packet.headers.outer;
  if (place.base == Base::kDerived) {
    value = {0, derived_value(packet, layers, place.field)};
    return (layers.items & item_bit(place.item)) != 0;
  }
  const std::uint8_t* const at = find_place(packet, layers, place);
  if (at == nullptr) return false;
  value = load_bytes(at, place);
  return true;
}

RS_DEVICE bool load_field(const PacketView& packet, Field field, bool inner, FieldValue& value) {
  return load_place(packet, place_of(field), inner, value);
}

}  // namespace ringside::stages
