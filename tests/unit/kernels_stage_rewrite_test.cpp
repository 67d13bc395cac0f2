// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <gtest/gtest.h>

#include <random>

#include "kernels/stages/rewrite.hpp"
#include "tests/unit/stages_frame.hpp"

namespace ringside::stages {
namespace {

TEST(StagesRewrite, every_field_is_written_and_its_checksums_follow) {
  struct Case {
    Field field;
    FieldValue value;
    bool v4;
  };
  const Case cases[] = {
      {Field::kEthDst, {0, 0x020304050607}, true},
      {Field::kEthSrc, {0, 0x020304050608}, true},
      {Field::kIpv4Src, {0, 0xc0a80105}, true},
      {Field::kIpv4Dst, {0, 0xffffffff}, true},
      {Field::kIpv4Tos, {0, 0xb8}, true},
      {Field::kIpv4Ttl, {0, 1}, true},
      {Field::kTcpSrc, {0, 0}, true},
      {Field::kTcpDst, {0, 65535}, true},
      {Field::kTcpFlags, {0, 0x02}, true},
      {Field::kIpv6Src, {0xfe80000000000000, 9}, false},
      {Field::kIpv6Dst, {1, 2}, false},
      {Field::kIpv6Tc, {0, 0x12}, false},
      {Field::kIpv6Hop, {0, 200}, false},
      {Field::kUdpSrc, {0, 1}, false},
      {Field::kUdpDst, {0, 2}, false},
  };
  for (const Case& one : cases) {
    Frame frame(one.v4 ? tcp4_frame() : udp6_frame());
    ASSERT_TRUE(checksums_right(frame.bytes(), 14, one.v4));
    ASSERT_TRUE(write_field(frame.view, one.field, one.value)) << static_cast<int>(one.field);
    EXPECT_EQ(frame.field(one.field).low, one.value.low) << static_cast<int>(one.field);
    EXPECT_EQ(frame.field(one.field).high, one.value.high);
    EXPECT_TRUE(checksums_right(frame.bytes(), 14, one.v4)) << static_cast<int>(one.field);
  }
}

TEST(StagesRewrite, a_tunnel_endpoint_is_written_and_the_udp_checksum_follows) {
  const Bytes gtpu = {0x30, 255, 0, 4, 0, 0, 0, 1, 0x45, 0, 0, 4};
  Frame frame(ethernet(
      0x0800, ipv4({}, frames::with_checksum(udp(2152, 2152, gtpu), 17, "10.0.0.1", "10.0.0.2"))));
  ASSERT_TRUE(checksums_right(frame.bytes(), 14, true));
  ASSERT_TRUE(write_field(frame.view, Field::kGtpuTeid, {0, 0xdeadbeef}));
  EXPECT_EQ(frame.field(Field::kGtpuTeid).low, 0xdeadbeefU);
  EXPECT_TRUE(checksums_right(frame.bytes(), 14, true));
}

TEST(StagesRewrite, a_vlan_id_leaves_the_priority_alone) {
  Frame frame(ethernet(0x8100, tag(0xe001, 0x0800, ipv4({}, udp(1, 2)))));
  ASSERT_TRUE(write_field(frame.view, Field::kVlanVid, {0, 0xabc}));
  EXPECT_EQ(frame.field(Field::kVlanPcp).low, 7U);
  EXPECT_EQ(frame.field(Field::kVlanVid).low, 0xabcU);
}

TEST(StagesRewrite, random_addresses_and_ports_keep_checksums_right) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    Frame frame(tcp4_frame());
    write_field(frame.view, Field::kIpv4Src, {0, random() & 0xffffffff});
    write_field(frame.view, Field::kTcpDst, {0, random() & 0xffff});
    ASSERT_TRUE(checksums_right(frame.bytes(), 14, true));
  }
}

TEST(StagesRewrite, udp_without_a_checksum_stays_without_and_zero_is_written_as_ones) {
  Frame without(frames::udp4(1, 2));
  ASSERT_TRUE(write_field(without.view, Field::kUdpDst, {0, 99}));
  EXPECT_EQ(load16(without.view.data + 14 + 20 + 6), 0);

  const Bytes l4 = frames::with_checksum(udp(1, 2), 17, "10.0.0.1", "10.0.0.2");
  const Bytes whole = ethernet(0x0800, ipv4({}, l4));
  // The port that brings the sum to 0: the checksum itself is what is missing.
  const std::uint32_t port = (2U + load16(l4.data() + 6)) % 0xffff;
  Frame zero(whole);
  ASSERT_TRUE(write_field(zero.view, Field::kUdpDst, {0, port}));
  EXPECT_EQ(load16(zero.view.data + 14 + 20 + 6), 0xffff);
  EXPECT_TRUE(checksums_right(zero.bytes(), 14, true));
}

TEST(StagesRewrite, the_first_part_of_a_packet_keeps_the_checksum_of_the_whole_right) {
  const Bytes l4 = frames::with_checksum(udp(1, 2, Bytes(64, 3)), 17, "10.0.0.1", "10.0.0.2");
  Frame first(ethernet(0x0800, ipv4({.fragment = 0x2000}, sub(l4, 0, 40))));
  ASSERT_TRUE(write_field(first.view, Field::kIpv4Dst, {0, 0x0a000063}));
  Bytes joined = sub(first.bytes(), 34, 40) + sub(l4, 40, l4.size() - 40);
  const Bytes expected = frames::with_checksum(joined, 17, "10.0.0.1", "10.0.0.99");
  EXPECT_EQ(joined, expected);
}

TEST(StagesRewrite, the_address_of_the_next_hop_is_none_of_the_checksums) {
  for (const auto left : {std::uint8_t{1}, std::uint8_t{0}}) {
    // The pseudo-header has the final destination.
    const char* const final = left != 0 ? "2001:db8::9" : "2001:db8::2";
    const Bytes l4 = frames::with_checksum(udp(53, 5353), 17, "2001:db8::1", final);
    Frame frame(ethernet(0x86dd, ipv6(43, routed(17, left) + l4)));
    ASSERT_TRUE(frame.has(Field::kUdpSrc));
    ASSERT_TRUE(write_field(frame.view, Field::kIpv6Dst, {0x20010db800000000, 7}));
    expect_udp_sum(frame.bytes(), "2001:db8::1", left != 0 ? final : "2001:db8::7");
    ASSERT_TRUE(write_field(frame.view, Field::kIpv6Src, {0x20010db800000000, 3}));
    expect_udp_sum(frame.bytes(), "2001:db8::3", left != 0 ? final : "2001:db8::7");
  }
}

TEST(StagesRewrite, a_hop_is_taken_and_the_last_one_is_not) {
  Frame frame(tcp4_frame());
  ASSERT_TRUE(decrement_ttl(frame.view));
  EXPECT_EQ(frame.field(Field::kIpv4Ttl).low, 63U);
  EXPECT_TRUE(checksums_right(frame.bytes(), 14, true));
  for (const std::uint64_t last : {0U, 1U}) {
    write_field(frame.view, Field::kIpv4Ttl, {0, last});
    EXPECT_FALSE(decrement_ttl(frame.view));
    EXPECT_EQ(frame.field(Field::kIpv4Ttl).low, last);
  }
  Frame arp(ethernet(0x0806, Bytes(28)));
  EXPECT_TRUE(decrement_ttl(arp.view));
}

}  // namespace
}  // namespace ringside::stages
