// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The frames were made with scapy, an independent judge of their checksums.
#include "lib/softcx/wire/internet_checksum.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace softcx {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes from_hex(std::string_view text) {
  Bytes bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    bytes.push_back(
        static_cast<std::uint8_t>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

const Bytes kTcpOverIpv6 = from_hex(
    "02000000000202000000000186dd60000000001b064020010db800000000000000000000000120010db8000000"
    "00000000000000000203e807d0000000070000000950102000b39e000072696e67732121");
const Bytes kTcpWithIpOptionsAndVlan = from_hex(
    "0200000000020200000000018100000508004600002d00010000400663c60a0000010a00000201010101000100"
    "0200000000000000005002200003dc000078");
const Bytes kUdpFragment = from_hex(
    "02000000000202000000000108004500002000012000401146ca0a0000010a00000200010002000c270a616263"
    "64");
const Bytes kUdpBehindOptions = from_hex(
    "02000000000202000000000186dd60000000001e004020010db800000000000000000000000120010db80000"
    "000000000000000000023c00010400000000110001040000000000010002000e6b27626568696e64");
const Bytes kTcpBehindRouting = from_hex(
    "02000000000202000000000186dd60000000002d2b4020010db800000000000000000000000120010db80000"
    "00000000000000000002060200000000000020010db800000000000000000000000200010002000000000000"
    "000050022000bc69000078");
const Bytes kUdpInAtomicFragment = from_hex(
    "02000000000202000000000186dd6000000000142c4020010db800000000000000000000000120010db80000"
    "00000000000000000002110000000000000700010002000cd37c61746f6d");
const Bytes kUdpFirstFragment = from_hex(
    "02000000000202000000000186dd6000000000142c4020010db800000000000000000000000120010db80000"
    "00000000000000000002110000010000000700010002000cdc8466726167");

const Bytes kVxlan = from_hex(
    "020000000002020000000001080045000052000100004011f946c0a80001c0a80002000712b5003e5e7c0c00"
    "00030000090002000000000202000000000108004500002000010000401166ca0a0000010a00000200350036"
    "000c0a9872696e67");
const Bytes kGreWithKey = from_hex(
    "02000000000202000000000108004500003c00010000402ff93ec0a80001c0a8000220000800000000054500"
    "002000010000401166ca0a0000010a00000200350036000c0a9872696e67");
const Bytes kBridgedGreOverIpv6 = from_hex(
    "02000000000202000000000186dd60000000003b2f4020010db800000000000000000000000120010db80000"
    "000000000000000000020000655802000000000202000000000108004500002900010000400666cc0a000001"
    "0a0000020001000200000000000000005002200003dc000078");
const Bytes kIpv6InIpv4 = from_hex(
    "020000000002020000000001080045000051000100004029f92fc0a80001c0a8000260000000001506402001"
    "0db800000000000000000000000120010db80000000000000000000000020001000200000000000000005002"
    "2000bc69000078");

void spoil(Bytes& frame, std::size_t at) {
  frame[at] = 0xde, frame[at + 1] = 0xad;
}

TEST(SoftcxChecksum, tcp_over_ipv6) {
  Bytes frame = kTcpOverIpv6;
  spoil(frame, 14 + 40 + 16);
  write_l4_checksum(frame);
  EXPECT_EQ(frame, kTcpOverIpv6);
}

TEST(SoftcxChecksum, ethernet_padding_is_not_summed) {
  Bytes frame = kTcpOverIpv6;
  frame.insert(frame.end(), 5, 0xff);
  spoil(frame, 14 + 40 + 16);
  write_l4_checksum(frame);
  EXPECT_TRUE(std::equal(kTcpOverIpv6.begin(), kTcpOverIpv6.end(), frame.begin()));
}

TEST(SoftcxChecksum, ipv4_with_options_behind_a_vlan_tag) {
  Bytes frame = kTcpWithIpOptionsAndVlan;
  spoil(frame, 18 + 10);
  spoil(frame, 18 + 24 + 16);
  write_l4_checksum(frame);
  write_ipv4_checksum(frame);
  EXPECT_EQ(frame, kTcpWithIpOptionsAndVlan);
}

TEST(SoftcxChecksum, fragment_gets_an_ip_checksum_only) {
  Bytes frame = kUdpFragment;
  spoil(frame, 14 + 10);
  write_ipv4_checksum(frame);
  write_l4_checksum(frame);
  EXPECT_EQ(frame, kUdpFragment);
}

TEST(SoftcxChecksum, layer_4_is_found_behind_ipv6_extension_headers) {
  struct Case {
    Bytes frame;
    std::size_t field;
  };
  for (const auto& [whole, field] :
       {Case{kUdpBehindOptions, 14 + 40 + 16 + 6}, Case{kTcpBehindRouting, 14 + 40 + 24 + 16},
        Case{kUdpInAtomicFragment, 14 + 40 + 8 + 6}}) {
    Bytes frame = whole;
    spoil(frame, field);
    write_l4_checksum(frame);
    EXPECT_EQ(frame, whole);
  }
}

TEST(SoftcxChecksum, ipv6_fragment_and_unfinished_route_stay_as_they_are) {
  Bytes on_its_way = kTcpBehindRouting;
  on_its_way[14 + 40 + 3] = 1;  // segments left: another destination comes
  for (const Bytes& whole : {kUdpFirstFragment, on_its_way}) {
    Bytes frame = whole;
    spoil(frame, frame.size() - 2);
    const Bytes before = frame;
    write_l4_checksum(frame);
    EXPECT_EQ(frame, before);
  }
}

TEST(SoftcxChecksum, cut_frames_stay_as_they_are) {
  for (const Bytes& whole :
       {kTcpOverIpv6, kTcpWithIpOptionsAndVlan, kUdpFragment, kUdpBehindOptions}) {
    for (std::size_t length = 0; length < whole.size(); ++length) {
      Bytes frame(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
      const Bytes before = frame;
      write_ipv4_checksum(frame);
      write_l4_checksum(frame);
      EXPECT_EQ(frame, before) << length;
    }
  }
}

TEST(SoftcxChecksum, vxlan_has_four_of_them) {
  constexpr std::size_t kOuterIp = 14, kOuterUdp = 34, kInnerIp = 64, kInnerUdp = 84;
  Bytes frame = kVxlan;
  for (const std::size_t at : {kOuterIp + 10, kOuterUdp + 6, kInnerIp + 10, kInnerUdp + 6}) {
    spoil(frame, at);
  }
  write_l4_checksum(frame, Headers::kInner);
  write_ipv4_checksum(frame, Headers::kInner);
  write_l4_checksum(frame);
  write_ipv4_checksum(frame);
  EXPECT_EQ(frame, kVxlan);
}

TEST(SoftcxChecksum, outer_ones_leave_the_inner_packet_alone) {
  Bytes frame = kVxlan;
  spoil(frame, 14 + 10);
  spoil(frame, 64 + 10);
  write_ipv4_checksum(frame);
  Bytes expected = kVxlan;
  spoil(expected, 64 + 10);
  EXPECT_EQ(frame, expected);
}

TEST(SoftcxChecksum, inner_packet_of_each_kind_of_tunnel) {
  struct Case {
    const Bytes& right;
    std::size_t l4_checksum;
  };
  for (const auto& [right, at] : {Case{kGreWithKey, 62 + 6}, Case{kBridgedGreOverIpv6, 92 + 16},
                                  Case{kIpv6InIpv4, 74 + 16}}) {
    Bytes frame = right;
    spoil(frame, at);
    ASSERT_NE(frame, right);
    write_l4_checksum(frame, Headers::kInner);
    EXPECT_EQ(frame, right) << at;
  }
}

TEST(SoftcxChecksum, packet_without_a_tunnel_has_no_inner_ones) {
  Bytes frame = kTcpWithIpOptionsAndVlan;
  spoil(frame, 18 + 10);
  const Bytes before = frame;
  write_l4_checksum(frame, Headers::kInner);
  write_ipv4_checksum(frame, Headers::kInner);
  EXPECT_EQ(frame, before);
}

TEST(SoftcxChecksum, cut_tunnels_stay_as_they_are) {
  for (const Bytes& whole : {kVxlan, kGreWithKey, kBridgedGreOverIpv6, kIpv6InIpv4}) {
    for (std::size_t length = 0; length < whole.size(); ++length) {
      Bytes frame(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
      const Bytes before = frame;
      write_l4_checksum(frame, Headers::kInner);
      write_ipv4_checksum(frame, Headers::kInner);
      EXPECT_EQ(frame, before) << length;
    }
  }
}

}  // namespace
}  // namespace softcx
