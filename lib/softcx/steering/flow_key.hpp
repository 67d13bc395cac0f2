// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a packet's headers say, laid out like the first five parts of the PRM's fte_match_param, so
// that a matcher's mask and a rule's value apply to it word by word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lib/mlx5/format/endian.hpp"
#include "lib/mlx5/format/prm_flow.hpp"

namespace softcx {

using ringside::Be16;
using ringside::Be32;

/// fte_match_set_lyr_2_4: L2 to L4 of the outer or the inner packet.
struct LayerKey {
  static constexpr std::uint8_t kCvlanTag = 0x80;
  static constexpr std::uint8_t kSvlanTag = 0x40;
  static constexpr std::uint8_t kFragment = 0x20;
  static constexpr unsigned kIpVersionShift = 1;
  static constexpr std::uint8_t kL3Ok = 0x08;
  static constexpr std::uint8_t kIpv4ChecksumOk = 0x02;

  std::uint8_t source_mac[6];
  Be16 ethertype;
  std::uint8_t destination_mac[6];
  Be16 first_tci;  ///< first_prio, first_cfi, first_vid
  std::uint8_t ip_protocol;
  std::uint8_t ip_tos;     ///< ip_dscp, ip_ecn
  std::uint8_t kinds;      ///< kCvlanTag, kSvlanTag, kFragment, ip_version, tcp_flags bit 8
  std::uint8_t tcp_flags;  ///< bits 7..0
  Be16 tcp_source, tcp_destination;
  std::uint8_t reserved[2];
  std::uint8_t ihl_and_ok;  ///< ipv4_ihl in bits 7..4, kL3Ok, kIpv4ChecksumOk
  std::uint8_t hop_limit;
  Be16 udp_source, udp_destination;
  std::uint8_t source_ip[16];       ///< IPv4: the last four bytes
  std::uint8_t destination_ip[16];  ///< IPv4: the last four bytes
};

/// fte_match_set_misc.
struct MiscKey {
  static constexpr std::uint8_t kOuterSecondCvlan = 0x80;
  static constexpr std::uint8_t kInnerSecondCvlan = 0x40;
  static constexpr std::uint8_t kOuterSecondSvlan = 0x20;
  static constexpr std::uint8_t kInnerSecondSvlan = 0x10;

  std::uint8_t gre_flags;  ///< the first byte of the GRE header: C, K and S
  std::uint8_t reserved0[7];
  Be16 outer_second_tci, inner_second_tci;
  std::uint8_t second_tags;  ///< k*Second*
  std::uint8_t reserved1;
  Be16 gre_protocol;
  std::uint8_t gre_key[4];
  std::uint8_t vxlan_vni[3];
  std::uint8_t reserved2[5];
  Be32 outer_flow_label, inner_flow_label;
  std::uint8_t reserved3[8];
  Be32 inner_esp_spi, outer_esp_spi;
  std::uint8_t reserved4[12];
};

/// fte_match_set_misc3.
struct Misc3Key {
  Be32 inner_tcp_sequence, outer_tcp_sequence;
  Be32 inner_tcp_acknowledgement, outer_tcp_acknowledgement;
  std::uint8_t reserved0[8];
  std::uint8_t icmp_header_data[4], icmpv6_header_data[4];
  std::uint8_t icmp_type, icmp_code, icmpv6_type, icmpv6_code;
  std::uint8_t reserved1[28];
};

struct alignas(64) FlowKey {
  static constexpr std::size_t kWords = 40;

  LayerKey outer;
  MiscKey misc;
  LayerKey inner;
  std::uint8_t misc2[64];  ///< MPLS and metadata registers: always 0, no matcher may ask for them
  Misc3Key misc3;

  std::uint64_t word(std::size_t index) const noexcept {
    std::uint64_t value;
    std::memcpy(&value, reinterpret_cast<const std::uint8_t*>(this) + 8 * index, sizeof value);
    return value;
  }
};

namespace flow_key_check {
using namespace ringside::prm;
constexpr std::size_t byte_of(Field field) {
  return field.offset + (31U - field.high) / 8;
}

namespace layer = fte_match_set_lyr_2_4;
static_assert(sizeof(LayerKey) == layer::kSize);
static_assert(offsetof(LayerKey, ethertype) == byte_of(layer::ethertype));
static_assert(offsetof(LayerKey, destination_mac) == byte_of(layer::dmac_47_16));
static_assert(offsetof(LayerKey, first_tci) == byte_of(layer::first_prio));
static_assert(offsetof(LayerKey, ip_protocol) == byte_of(layer::ip_protocol));
static_assert(offsetof(LayerKey, ip_tos) == byte_of(layer::ip_dscp));
static_assert(offsetof(LayerKey, kinds) == byte_of(layer::cvlan_tag));
static_assert(layer::ip_version.low % 8 == LayerKey::kIpVersionShift);
static_assert(offsetof(LayerKey, tcp_source) == byte_of(layer::tcp_sport));
static_assert(offsetof(LayerKey, ihl_and_ok) == byte_of(layer::ipv4_ihl));
static_assert(offsetof(LayerKey, hop_limit) == byte_of(layer::ip_ttl_hoplimit));
static_assert(offsetof(LayerKey, udp_source) == byte_of(layer::udp_sport));
static_assert(offsetof(LayerKey, source_ip) == layer::src_ipv4_src_ipv6.offset);
static_assert(offsetof(LayerKey, destination_ip) == layer::dst_ipv4_dst_ipv6.offset);

namespace misc = fte_match_set_misc;
static_assert(sizeof(MiscKey) == misc::kSize);
static_assert(offsetof(MiscKey, outer_second_tci) == byte_of(misc::outer_second_prio));
static_assert(offsetof(MiscKey, second_tags) == byte_of(misc::outer_second_cvlan_tag));
static_assert(offsetof(MiscKey, gre_protocol) == byte_of(misc::gre_protocol));
static_assert(offsetof(MiscKey, gre_key) == byte_of(misc::gre_key_h));
static_assert(offsetof(MiscKey, vxlan_vni) == byte_of(misc::vxlan_vni));
static_assert(offsetof(MiscKey, outer_flow_label) == misc::outer_ipv6_flow_label.offset);
static_assert(offsetof(MiscKey, inner_esp_spi) == misc::inner_esp_spi.offset);

namespace misc3 = fte_match_set_misc3;
static_assert(sizeof(Misc3Key) == misc3::kSize);
static_assert(offsetof(Misc3Key, outer_tcp_sequence) == misc3::outer_tcp_seq_num.offset);
static_assert(offsetof(Misc3Key, icmp_header_data) == misc3::icmp_header_data.offset);
static_assert(offsetof(Misc3Key, icmp_type) == byte_of(misc3::icmp_type));

static_assert(sizeof(FlowKey) == 8 * FlowKey::kWords);
static_assert(offsetof(FlowKey, misc) == fte_match_param::misc_parameters.offset);
static_assert(offsetof(FlowKey, inner) == fte_match_param::inner_headers.offset);
static_assert(offsetof(FlowKey, misc3) == fte_match_param::misc_parameters_3.offset);
}  // namespace flow_key_check

}  // namespace softcx
