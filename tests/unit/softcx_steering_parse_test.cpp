// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "lib/mlx5/format/cqe.hpp"
#include "lib/softcx/steering/parse.hpp"
#include "tests/unit/softcx_steering_frames.hpp"

namespace softcx {
namespace {

using namespace frames;
using ringside::kCqeIpFragment;
using ringside::kCqeIpOptions;
using ringside::kCqeL3Ok;

/// Parses a copy that ends where the allocation ends, so that a sanitizer sees any read behind it.
ParsedPacket parse(const Bytes& frame, std::size_t readable = SIZE_MAX) {
  const std::size_t size = std::min(readable, frame.size());
  const auto copy = std::make_unique<std::uint8_t[]>(size);
  std::copy_n(frame.begin(), size, copy.get());
  ParsedPacket packet;
  parse_packet({copy.get(), size}, static_cast<std::uint32_t>(frame.size()), packet);
  return packet;
}

unsigned ip_version(const LayerKey& layer) {
  return layer.kinds >> 1 & 15;
}

TEST(Parse, ethernet_addresses_and_type) {
  const ParsedPacket packet = parse(ethernet(0x88cc, Bytes(40)));
  EXPECT_EQ(packet.key.outer.destination_mac[5], 0xdd);
  EXPECT_EQ(packet.key.outer.source_mac[5], 0x55);
  EXPECT_EQ(packet.key.outer.ethertype.value(), 0x88cc);
  EXPECT_EQ(ip_version(packet.key.outer), 0U);
  EXPECT_EQ(packet.facts.header_flags, ringside::kCqeL2Ok);
}

TEST(Parse, ipv4_udp) {
  const ParsedPacket packet = parse(ethernet(0x0800, ipv4({.tos = 0xb9}, udp(1000, 2000))));
  const LayerKey& key = packet.key.outer;
  EXPECT_EQ(packet.outer.l3, L3::kIpv4);
  EXPECT_EQ(packet.outer.l4, L4::kUdp);
  EXPECT_EQ(ip_version(key), 4U);
  EXPECT_EQ(key.ip_tos, 0xb9);
  EXPECT_EQ(key.ip_protocol, 17);
  EXPECT_EQ(key.hop_limit, 64);
  EXPECT_EQ(key.ihl_and_ok, 0x50 | LayerKey::kL3Ok | LayerKey::kIpv4ChecksumOk);
  EXPECT_EQ(key.udp_source.value(), 1000);
  EXPECT_EQ(key.udp_destination.value(), 2000);
  EXPECT_EQ(key.tcp_source.value(), 0);
  EXPECT_EQ(std::memcmp(key.source_ip + 12, ip_address("10.0.0.1").data(), 4), 0);
  EXPECT_EQ(std::memcmp(key.destination_ip + 12, ip_address("10.0.0.2").data(), 4), 0);
  EXPECT_EQ(packet.facts.header_types, ringside::kCqeL3Ipv4 | ringside::kCqeL4Udp);
}

TEST(Parse, tcp_flags_with_the_ninth_bit) {
  const ParsedPacket packet = parse(ethernet(0x0800, ipv4({.protocol = 6}, tcp(1, 2, 0x112))));
  EXPECT_EQ(packet.outer.l4, L4::kTcp);
  EXPECT_EQ(packet.key.outer.tcp_flags, 0x12);
  EXPECT_EQ(packet.key.outer.kinds & 1, 1);
  EXPECT_EQ(packet.key.outer.tcp_destination.value(), 2);
  EXPECT_EQ(packet.facts.header_types, ringside::kCqeL3Ipv4 | ringside::kCqeL4Tcp);
}

TEST(Parse, single_vlan_tag) {
  const ParsedPacket packet = parse(ethernet(0x8100, tag(0xa123, 0x0800, ipv4({}, udp(1, 2)))));
  const LayerKey& key = packet.key.outer;
  EXPECT_EQ(key.kinds & (LayerKey::kCvlanTag | LayerKey::kSvlanTag), LayerKey::kCvlanTag);
  EXPECT_EQ(key.first_tci.value(), 0xa123);
  EXPECT_EQ(key.ethertype.value(), 0x0800);
  EXPECT_EQ(packet.outer.l4, L4::kUdp);
  EXPECT_EQ(packet.key.misc.second_tags, 0);
}

TEST(Parse, stacked_vlan_tags) {
  const ParsedPacket packet =
      parse(ethernet(0x88a8, tag(0x0064, 0x8100, tag(0x6005, 0x86dd, ipv6(17, udp(1, 2))))));
  const LayerKey& key = packet.key.outer;
  EXPECT_EQ(key.kinds & (LayerKey::kCvlanTag | LayerKey::kSvlanTag), LayerKey::kSvlanTag);
  EXPECT_EQ(key.first_tci.value(), 0x0064);
  EXPECT_EQ(packet.key.misc.second_tags, MiscKey::kOuterSecondCvlan);
  EXPECT_EQ(packet.key.misc.outer_second_tci.value(), 0x6005);
  EXPECT_EQ(packet.outer.l3, L3::kIpv6);
}

TEST(Parse, third_vlan_tag_is_not_looked_behind) {
  const ParsedPacket packet =
      parse(ethernet(0x8100, tag(1, 0x8100, tag(2, 0x8100, tag(3, 0x0800, ipv4({}, udp(1, 2)))))));
  EXPECT_EQ(packet.key.outer.ethertype.value(), 0x8100);
  EXPECT_EQ(packet.outer.l3, L3::kNone);
}

TEST(Parse, ipv4_options) {
  const ParsedPacket packet = parse(ethernet(0x0800, ipv4({.options = Bytes(8, 1)}, udp(7, 9))));
  EXPECT_EQ(packet.key.outer.ihl_and_ok >> 4, 7);
  EXPECT_EQ(packet.key.outer.udp_destination.value(), 9);
  EXPECT_NE(packet.facts.header_types & kCqeIpOptions, 0);
}

TEST(Parse, fragments_have_no_l4) {
  // The first, a middle and the last one.
  for (const std::uint16_t fragment : std::initializer_list<std::uint16_t>{0x2000, 0x2010, 0x10}) {
    const ParsedPacket packet = parse(ethernet(0x0800, ipv4({.fragment = fragment}, udp(7, 9))));
    EXPECT_NE(packet.key.outer.kinds & LayerKey::kFragment, 0);
    EXPECT_EQ(packet.key.outer.ip_protocol, 17);
    EXPECT_EQ(packet.outer.l4, L4::kNone);
    EXPECT_EQ(packet.key.outer.udp_destination.value(), 0);
    EXPECT_NE(packet.facts.header_types & kCqeIpFragment, 0);
  }
  const ParsedPacket whole = parse(ethernet(0x0800, ipv4({.fragment = 0x4000}, udp(7, 9))));
  EXPECT_EQ(whole.outer.l4, L4::kUdp) << "do not fragment is no fragment";
}

TEST(Parse, wrong_ipv4_header_checksum) {
  Bytes frame = udp4(1, 2);
  frame[14 + 10] ^= 0xff;
  const ParsedPacket packet = parse(frame);
  EXPECT_EQ(packet.facts.header_flags & kCqeL3Ok, 0);
  EXPECT_EQ(packet.key.outer.ihl_and_ok, 0x50);
  EXPECT_EQ(packet.outer.l4, L4::kUdp);
}

TEST(Parse, ipv6_fields) {
  const ParsedPacket packet = parse(ethernet(0x86dd, ipv6(6, tcp(3, 4))));
  EXPECT_EQ(packet.outer.l3, L3::kIpv6);
  EXPECT_EQ(packet.outer.l4, L4::kTcp);
  EXPECT_EQ(ip_version(packet.key.outer), 6U);
  EXPECT_EQ(packet.key.outer.ip_tos, 0xab);
  EXPECT_EQ(packet.key.misc.outer_flow_label.value(), 0x12345U);
  EXPECT_EQ(packet.key.outer.hop_limit, 63);
  EXPECT_EQ(packet.key.outer.ip_protocol, 6);
  EXPECT_EQ(packet.key.outer.source_ip[15], 1);
  EXPECT_EQ(packet.key.outer.destination_ip[15], 2);
  EXPECT_EQ(packet.facts.header_types, ringside::kCqeL3Ipv6 | ringside::kCqeL4Tcp);
}

TEST(Parse, ipv6_extension_headers_are_walked) {
  const Bytes hop_by_hop{43, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};  // 16 bytes
  const Bytes routing{60, 0, 0, 0, 0, 0, 0, 0};
  const Bytes options{17, 0, 1, 4, 0, 0, 0, 0};
  const ParsedPacket packet =
      parse(ethernet(0x86dd, ipv6(0, hop_by_hop + routing + options + udp(5, 6))));
  EXPECT_EQ(packet.key.outer.ip_protocol, 17);
  EXPECT_EQ(packet.key.outer.udp_destination.value(), 6);
  EXPECT_NE(packet.facts.header_types & kCqeIpOptions, 0);
}

TEST(Parse, ipv6_fragment_has_no_l4) {
  const Bytes fragment{17, 0, 0, 1, 0, 0, 0, 1};
  const ParsedPacket packet = parse(ethernet(0x86dd, ipv6(44, fragment + udp(5, 6))));
  EXPECT_EQ(packet.key.outer.ip_protocol, 17);
  EXPECT_EQ(packet.outer.l4, L4::kNone);
  EXPECT_NE(packet.key.outer.kinds & LayerKey::kFragment, 0);
}

TEST(Parse, icmp_and_icmpv6) {
  const Bytes echo{8, 1, 0, 0, 0x12, 0x34, 0, 7};
  const ParsedPacket v4 = parse(ethernet(0x0800, ipv4({.protocol = 1}, echo)));
  EXPECT_EQ(v4.key.misc3.icmp_type, 8);
  EXPECT_EQ(v4.key.misc3.icmp_code, 1);
  EXPECT_EQ(v4.key.misc3.icmp_header_data[0], 0x12);
  const ParsedPacket v6 = parse(ethernet(0x86dd, ipv6(58, echo)));
  EXPECT_EQ(v6.key.misc3.icmpv6_type, 8);
  EXPECT_EQ(v6.key.misc3.icmpv6_header_data[3], 7);
  EXPECT_EQ(v6.key.misc3.icmp_type, 0);
}

TEST(Parse, vxlan_and_its_inner_packet) {
  const Bytes inner =
      ethernet(0x8100, tag(0x0007, 0x0800, ipv4({.source = "1.2.3.4", .protocol = 6}, tcp(8, 9))));
  const Bytes vxlan{0x08, 0, 0, 0, 0xab, 0xcd, 0xef, 0};
  const ParsedPacket packet = parse(ethernet(0x0800, ipv4({}, udp(50, 4789, vxlan + inner))));
  EXPECT_EQ(packet.key.misc.vxlan_vni[0], 0xab);
  EXPECT_EQ(packet.key.misc.vxlan_vni[2], 0xef);
  EXPECT_EQ(packet.key.outer.udp_destination.value(), 4789);
  EXPECT_EQ(packet.key.inner.first_tci.value(), 7);
  EXPECT_EQ(packet.key.inner.ethertype.value(), 0x0800);
  EXPECT_EQ(packet.key.inner.source_ip[15], 4);
  EXPECT_EQ(packet.key.inner.tcp_destination.value(), 9);
  EXPECT_EQ(packet.inner.l4, L4::kTcp);
  EXPECT_EQ(packet.facts.header_types, ringside::kCqeL3Ipv4 | ringside::kCqeL4Udp)
      << "the completion tells of the outer headers";
}

TEST(Parse, gre_with_key) {
  const Bytes gre{0x20, 0, 0x65, 0x58, 1, 2, 3, 4};
  const ParsedPacket packet =
      parse(ethernet(0x0800, ipv4({.protocol = 47}, gre + ethernet(0x86dd, ipv6(17, udp(1, 77))))));
  EXPECT_EQ(packet.key.misc.gre_flags, 0x20);
  EXPECT_EQ(packet.key.misc.gre_protocol.value(), 0x6558);
  EXPECT_EQ(packet.key.misc.gre_key[3], 4);
  EXPECT_EQ(packet.key.inner.udp_destination.value(), 77);
  EXPECT_EQ(ip_version(packet.key.inner), 6U);
}

TEST(Parse, ip_in_gre_and_ip_in_ip) {
  const Bytes inner = ipv4({.source = "9.9.9.9"}, udp(1, 2));
  const ParsedPacket gre =
      parse(ethernet(0x0800, ipv4({.protocol = 47}, Bytes{0, 0, 0x08, 0x00} + inner)));
  EXPECT_EQ(gre.key.inner.source_ip[15], 9);
  const ParsedPacket ip = parse(ethernet(0x0800, ipv4({.protocol = 4}, inner)));
  EXPECT_EQ(ip.key.inner.source_ip[15], 9);
  EXPECT_EQ(ip.inner.l4, L4::kUdp);
}

TEST(Parse, esp_index) {
  const ParsedPacket packet =
      parse(ethernet(0x0800, ipv4({.protocol = 50}, Bytes{0, 0, 1, 2, 0, 0, 0, 9})));
  EXPECT_EQ(packet.key.misc.outer_esp_spi.value(), 0x102U);
}

TEST(Parse, header_length_below_five_is_no_ipv4) {
  Bytes frame = udp4(1, 2);
  frame[14] = 0x44;
  const ParsedPacket packet = parse(frame);
  EXPECT_EQ(packet.outer.l3, L3::kNone);
  EXPECT_EQ(packet.key.outer.ip_protocol, 0);
  EXPECT_EQ(packet.key.outer.ethertype.value(), 0x0800);
}

TEST(Parse, wrong_ip_version_is_no_ip) {
  Bytes frame = udp4(1, 2);
  frame[14] = 0x65;
  EXPECT_EQ(parse(frame).outer.l3, L3::kNone);
}

TEST(Parse, total_length_below_the_header_is_no_ipv4) {
  Bytes frame = udp4(1, 2);
  put16(frame, 16, 19);
  EXPECT_EQ(parse(frame).outer.l3, L3::kNone);
}

TEST(Parse, padding_behind_the_total_length_is_not_l4) {
  Bytes frame = ethernet(0x0800, ipv4({}, {}) + Bytes(26, 0xee));
  EXPECT_EQ(parse(frame).outer.l4, L4::kNone);
}

TEST(Parse, tcp_offset_below_five_is_no_tcp) {
  Bytes frame = ethernet(0x0800, ipv4({.protocol = 6}, tcp(1, 2)));
  frame[14 + 20 + 12] = 0x40;
  const ParsedPacket packet = parse(frame);
  EXPECT_EQ(packet.outer.l4, L4::kNone);
  EXPECT_EQ(packet.key.outer.tcp_destination.value(), 0);
}

TEST(Parse, every_cut_is_harmless_and_forgets_only_what_is_cut) {
  const Bytes inner = ethernet(0x86dd, ipv6(6, tcp(8, 9)));
  const Bytes vxlan{0x08, 0, 0, 0, 1, 2, 3, 0};
  const Bytes frame =
      ethernet(0x88a8, tag(1, 0x8100, tag(2, 0x0800, ipv4({}, udp(50, 4789, vxlan + inner)))));
  const ParsedPacket whole = parse(frame);
  ASSERT_EQ(whole.inner.l4, L4::kTcp);
  for (std::size_t size = 0; size < frame.size(); ++size) {
    const ParsedPacket cut = parse(frame, size);
    for (std::size_t word = 0; word < FlowKey::kWords; ++word) {
      const std::uint64_t got = cut.key.word(word);
      // The ethertype in front of a cut tag is the tag's own.
      if (word == 0 && size < 22) continue;
      EXPECT_EQ(got & ~whole.key.word(word), 0U) << "size " << size << " word " << word;
    }
    EXPECT_EQ(cut.inner.l4 == L4::kTcp, false) << size;
  }
}

}  // namespace
}  // namespace softcx
