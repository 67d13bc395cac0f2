// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Each stage on frames that are written from the RFCs; checksums are judged by summing anew.
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "kernels/stages/five_tuple.hpp"
#include "kernels/stages/icmp_echo.hpp"
#include "kernels/stages/match.hpp"
#include "kernels/stages/police.hpp"
#include "kernels/stages/rewrite.hpp"
#include "kernels/stages/swap.hpp"
#include "tests/unit/softcx_steering_frames.hpp"

namespace ringside::stages {
namespace {

using frames::Bytes;
using frames::ethernet;
using frames::ipv4;
using frames::ipv6;
using frames::tag;
using frames::udp;
using frames::operator+;

constexpr MacAddress kOwnMac{{2, 9, 9, 9, 9, 9}};

/// A frame in memory of exactly its size, so that a sanitizer sees a read behind it.
class Frame {
 public:
  explicit Frame(const Bytes& bytes, const ParseOptions& options = {})
      : memory_(new std::uint8_t[bytes.size()]),
        view{memory_.get(), static_cast<std::uint32_t>(bytes.size()), 0, 0, {}} {
    std::copy(bytes.begin(), bytes.end(), memory_.get());
    parse(view, options);
  }
  Bytes bytes() const { return {view.data, view.data + view.length}; }
  FieldValue field(Field field, bool inner = false) const {
    FieldValue value{};
    EXPECT_TRUE(load_field(view, field, inner, value));
    return value;
  }
  bool has(Field field, bool inner = false) const {
    FieldValue value{};
    return load_field(view, field, inner, value);
  }

 private:
  std::unique_ptr<std::uint8_t[]> memory_;

 public:
  PacketView view;
};

Bytes sub(const Bytes& bytes, std::size_t at, std::size_t count) {
  return {bytes.begin() + static_cast<std::ptrdiff_t>(at),
          bytes.begin() + static_cast<std::ptrdiff_t>(at + count)};
}

/// Are the IPv4 header's checksum and that of the TCP, UDP or ICMP packet right?
bool checksums_right(const Bytes& frame, std::size_t l3, bool v4) {
  const std::size_t header = v4 ? 4U * (frame[l3] & 15U) : 40;
  if (v4 && frames::internet_checksum(sub(frame, l3, header)) != 0) return false;
  const std::uint8_t protocol = frame[l3 + (v4 ? 9 : 6)];
  const Bytes l4 = sub(frame, l3 + header, frame.size() - l3 - header);
  if (v4 && protocol == 1) return frames::internet_checksum(l4) == 0;
  Bytes pseudo = v4 ? sub(frame, l3 + 12, 8) : sub(frame, l3 + 8, 32);
  Bytes tail(4);
  frames::put16(tail, 0, static_cast<std::uint32_t>(l4.size()));
  frames::put16(tail, 2, protocol);
  return frames::internet_checksum(pseudo + tail + l4) == 0;
}

Bytes tcp4_frame() {
  const Bytes l4 =
      frames::with_checksum(frames::tcp(1000, 80, 0x12, Bytes(9, 7)), 6, "10.0.0.1", "10.0.0.2");
  return ethernet(0x0800, ipv4({.protocol = 6}, l4));
}
Bytes udp6_frame() {
  const Bytes l4 = frames::with_checksum(udp(53, 5353), 17, "2001:db8::1", "2001:db8::2");
  return ethernet(0x86dd, ipv6(17, l4));
}

TEST(StagesParse, finds_each_layer_behind_vlan_tags_and_options) {
  const Bytes inner = ipv4({.protocol = 17, .options = Bytes(8, 1)}, udp(1, 2));
  const Frame frame(ethernet(0x88a8, tag(0x6064, 0x8100, tag(7, 0x0800, inner))));
  const Layers& layers = frame.view.headers.outer;
  EXPECT_EQ(layers.l3_offset, 22);
  EXPECT_EQ(layers.l4_offset, 50);
  EXPECT_EQ(layers.payload, 58);
  EXPECT_EQ(frame.field(Field::kVlanVid).low, 0x064U);
  EXPECT_EQ(frame.field(Field::kVlanPcp).low, 3U);
  EXPECT_EQ(frame.field(Field::kEthType).low, 0x0800U);
  EXPECT_EQ(frame.field(Field::kUdpDst).low, 2U);
  EXPECT_FALSE(frame.view.headers.malformed);
}

TEST(StagesParse, walks_ipv6_extension_headers) {
  const Bytes hop{60, 0, 0, 0, 0, 0, 0, 0};
  const Bytes options{17, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  const Frame frame(ethernet(0x86dd, ipv6(0, hop + options + udp(5, 6))));
  EXPECT_EQ(frame.view.headers.outer.l4_offset, 14 + 40 + 24);
  EXPECT_EQ(frame.field(Field::kIpv6Proto).low, 17U);
  EXPECT_EQ(frame.field(Field::kIpv6Tc).low, 0xabU);
  EXPECT_EQ(frame.field(Field::kIpv6Hop).low, 63U);
}

TEST(StagesParse, padding_is_no_payload) {
  const Frame frame(ethernet(0x0800, ipv4({}, udp(1, 2, Bytes(3)))) + Bytes(15));
  EXPECT_EQ(frame.view.headers.outer.end, 14 + 20 + 8 + 3);
}

TEST(StagesParse, parts_of_a_packet_have_no_ports) {
  const Frame first(ethernet(0x0800, ipv4({.fragment = 0x2000}, udp(1, 2))));
  EXPECT_EQ(first.view.headers.outer.l4, L4::kUdp);
  EXPECT_FALSE(first.has(Field::kUdpDst));
  const Frame later(ethernet(0x0800, ipv4({.fragment = 0x0010}, udp(1, 2))));
  EXPECT_EQ(later.view.headers.outer.l4, L4::kNone);
  const Bytes fragment{17, 0, 0, 9, 0, 0, 0, 1};  // offset 8, more to come
  const Frame later6(ethernet(0x86dd, ipv6(44, fragment + udp(1, 2))));
  EXPECT_EQ(later6.view.headers.outer.l4, L4::kNone);
  EXPECT_TRUE(later6.view.headers.outer.fragment);
  const Bytes atomic{17, 0, 0, 0, 0, 0, 0, 1};
  EXPECT_TRUE(Frame(ethernet(0x86dd, ipv6(44, atomic + udp(1, 2)))).has(Field::kUdpDst));
}

TEST(StagesParse, looks_into_vxlan_and_gtp) {
  const Bytes vxlan{8, 0, 0, 0, 0x12, 0x34, 0x56, 0};
  const Frame v(ethernet(0x0800, ipv4({}, udp(9, 4789, vxlan + frames::udp4(77, 88)))));
  EXPECT_EQ(v.field(Field::kVxlanVni).low, 0x123456U);
  EXPECT_EQ(v.field(Field::kUdpDst, true).low, 88U);
  EXPECT_EQ(v.field(Field::kUdpDst, false).low, 4789U);

  const Bytes packet = ipv6(17, udp(3, 4));
  Bytes gtp{0x34, 0xff, 0, 0, 0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 0x85, 1, 0x10, 9, 0};
  frames::put16(gtp, 2, static_cast<std::uint32_t>(8 + packet.size()));
  const Frame g(ethernet(0x0800, ipv4({}, udp(9, 2152, gtp + packet))));
  EXPECT_EQ(g.field(Field::kGtpuTeid).low, 0xcafebabeU);
  EXPECT_EQ(g.field(Field::kUdpDst, true).low, 4U);
  EXPECT_FALSE(g.view.headers.malformed);

  ParseOptions other;
  other.gtpu_port = 2153;
  EXPECT_EQ(Frame(g.bytes(), other).view.headers.tunnel, Tunnel::kNone);
}

TEST(StagesParse, finds_ecpri) {
  const Frame frame(ethernet(0xaefe, {0x10, 2, 0, 4, 0x12, 0x34, 0, 0}));
  EXPECT_EQ(frame.field(Field::kEcpriType).low, 2U);
  EXPECT_EQ(frame.field(Field::kEcpriPcId).low, 0x1234U);
}

/// Every frame cut at every length, and with every byte of its headers made 0 and 255 in turn.
TEST(StagesParse, nothing_is_read_or_claimed_outside_a_damaged_packet) {
  const Bytes vxlan{8, 0, 0, 0, 0, 0, 1, 0};
  const Bytes gtp{0x34, 0xff, 0, 64, 0, 0, 0, 1, 0, 0, 0, 0x85, 1, 0x10, 9, 0};
  const Bytes hop{60, 0, 0, 0, 0, 0, 0, 0};
  const Bytes options{6, 0, 0, 0, 0, 0, 0, 0};
  const std::vector<Bytes> whole = {
      tcp4_frame(),
      udp6_frame(),
      ethernet(0x8100, tag(1, 0x0800, ipv4({.options = Bytes(4)}, udp(1, 2)))),
      ethernet(0x86dd, ipv6(0, hop + options + frames::tcp(1, 2))),
      ethernet(0x0800, ipv4({}, udp(9, 4789, vxlan + tcp4_frame()))),
      ethernet(0x0800, ipv4({}, udp(9, 2152, gtp + ipv6(17, udp(3, 4))))),
      ethernet(0xaefe, Bytes(8)),
      ethernet(0x0800, ipv4({.protocol = 1}, {8, 0, 0, 0, 0, 1, 0, 1})),
  };
  const auto judge = [](const Bytes& bytes) {
    Frame frame(bytes);
    for (const Layers* layers : {&frame.view.headers.outer, &frame.view.headers.inner}) {
      ASSERT_LE(layers->end, bytes.size());
      ASSERT_LE(layers->payload, layers->end);
      ASSERT_TRUE(layers->l3 == L3::kNone || layers->l3_offset + 20U <= layers->end);
      ASSERT_TRUE(layers->l4 == L4::kNone || layers->l4_offset + 8U <= layers->end);
    }
    for (int f = 0; f <= static_cast<int>(Field::kMetaLength); ++f) {
      frame.has(static_cast<Field>(f), false);
      frame.has(static_cast<Field>(f), true);
      write_field(frame.view, static_cast<Field>(f), {1, 2});
    }
    run_swap(frame.view, {true, true, true});
    run_icmp_echo(frame.view, {true, 0, {}}, kOwnMac);
    flow_hash(frame.view, HashOver::kFiveTuple, true);
  };
  for (const Bytes& frame : whole) {
    for (std::size_t length = 0; length <= frame.size(); ++length) judge(sub(frame, 0, length));
    for (std::size_t i = 0; i < frame.size(); ++i) {
      for (const unsigned byte : {0U, 1U, 0x7fU, 0xffU}) {
        Bytes damaged = frame;
        damaged[i] = static_cast<std::uint8_t>(byte);
        judge(damaged);
      }
    }
  }
}

TEST(StagesParse, headers_that_do_not_fit_are_said_to_be_malformed) {
  const Bytes good = tcp4_frame();
  EXPECT_FALSE(Frame(good).view.headers.malformed);
  EXPECT_TRUE(Frame(sub(good, 0, good.size() - 1)).view.headers.malformed);
  EXPECT_TRUE(Frame(sub(good, 0, 13)).view.headers.malformed);
  Bytes short_header = good;
  short_header[14] = 0x44;
  EXPECT_TRUE(Frame(short_header).view.headers.malformed);
  Bytes long_udp = frames::udp4(1, 2);
  long_udp[14 + 20 + 5] = 200;
  EXPECT_TRUE(Frame(long_udp).view.headers.malformed);
}

Match one(Field field, std::uint64_t first, std::uint64_t last,
          std::uint64_t mask = ~std::uint64_t{0}) {
  return {0, 0, 1, {{{~std::uint64_t{0}, mask}, {0, first}, {0, last}, place_of(field), false}}};
}

TEST(StagesMatch, a_range_has_both_ends_and_a_mask_hides_bits) {
  const Frame frame(tcp4_frame());
  EXPECT_TRUE(matches(frame.view, one(Field::kTcpDst, 80, 80)));
  EXPECT_TRUE(matches(frame.view, one(Field::kTcpDst, 0, 80)));
  EXPECT_TRUE(matches(frame.view, one(Field::kTcpDst, 80, 90)));
  EXPECT_FALSE(matches(frame.view, one(Field::kTcpDst, 81, 90)));
  EXPECT_FALSE(matches(frame.view, one(Field::kTcpDst, 0, 79)));
  EXPECT_TRUE(matches(frame.view, one(Field::kTcpFlags, 0x10, 0x10, 0x10)));
  EXPECT_FALSE(matches(frame.view, one(Field::kTcpFlags, 0x10, 0x10)));
  EXPECT_TRUE(matches(frame.view, one(Field::kIpv4Src, 0x0a000000, 0x0a000000, 0xffffff00)));
}

TEST(StagesMatch, a_packet_without_the_field_or_header_does_not_match) {
  const Frame frame(tcp4_frame());
  EXPECT_FALSE(matches(frame.view, one(Field::kUdpDst, 0, 0xffff)));
  EXPECT_FALSE(matches(frame.view, one(Field::kVlanVid, 0, 0xfff)));
  EXPECT_TRUE(matches(frame.view, {item_bit(Item::kTcp), 0, 0, {}}));
  EXPECT_FALSE(matches(frame.view, {item_bit(Item::kUdp), 0, 0, {}}));
  EXPECT_FALSE(matches(frame.view, {0, item_bit(Item::kTcp), 0, {}}));
  EXPECT_TRUE(matches(frame.view, {0, 0, 0, {}}));
}

TEST(StagesMatch, ipv6_addresses_are_compared_whole) {
  const Frame frame(udp6_frame());
  const FieldValue source{0x20010db800000000, 1};
  const FieldValue all{~std::uint64_t{0}, ~std::uint64_t{0}};
  EXPECT_TRUE(
      matches(frame.view, {0, 0, 1, {{all, source, source, place_of(Field::kIpv6Src), false}}}));
  EXPECT_FALSE(
      matches(frame.view, {0, 0, 1, {{all, source, source, place_of(Field::kIpv6Dst), false}}}));
}

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

TEST(StagesSwap, each_pair_is_exchanged_alone_and_checksums_stay_right) {
  const Bytes before = tcp4_frame();
  Frame macs(before);
  run_swap(macs.view, {true, false, false});
  EXPECT_EQ(macs.bytes(),
            sub(before, 6, 6) + sub(before, 0, 6) + sub(before, 12, before.size() - 12));
  Frame rest(before);
  run_swap(rest.view, {false, true, true});
  EXPECT_EQ(rest.field(Field::kIpv4Src).low, 0x0a000002U);
  EXPECT_EQ(rest.field(Field::kIpv4Dst).low, 0x0a000001U);
  EXPECT_EQ(rest.field(Field::kTcpSrc).low, 80U);
  EXPECT_EQ(rest.field(Field::kTcpDst).low, 1000U);
  EXPECT_TRUE(checksums_right(rest.bytes(), 14, true));
  EXPECT_EQ(sub(rest.bytes(), 0, 12), sub(before, 0, 12));
}

Bytes echo_request(bool v4) {
  Bytes icmp{static_cast<std::uint8_t>(v4 ? 8 : 128), 0, 0, 0, 0x12, 0x34, 0, 7, 'a', 'b', 'c'};
  if (v4) {
    frames::put16(icmp, 2, frames::internet_checksum(icmp));
    return ethernet(0x0800, ipv4({.protocol = 1}, icmp));
  }
  Bytes tail(4);
  frames::put16(tail, 0, static_cast<std::uint32_t>(icmp.size()));
  frames::put16(tail, 2, 58);
  const Bytes addresses = frames::ip_address("2001:db8::1") + frames::ip_address("2001:db8::2");
  frames::put16(icmp, 2, frames::internet_checksum(addresses + tail + icmp));
  return ethernet(0x86dd, ipv6(58, icmp));
}

TEST(StagesIcmpEcho, a_request_becomes_its_reply) {
  for (const bool v4 : {true, false}) {
    const Bytes before = echo_request(v4);
    Frame frame(before);
    ASSERT_TRUE(checksums_right(before, 14, v4));
    ASSERT_TRUE(run_icmp_echo(frame.view, {true, 0, {}}, kOwnMac));
    const Bytes after = frame.bytes();
    EXPECT_TRUE(checksums_right(after, 14, v4));
    EXPECT_EQ(sub(after, 0, 6), sub(before, 6, 6));
    EXPECT_EQ(frame.field(v4 ? Field::kIcmpType : Field::kIcmp6Type).low, v4 ? 0U : 129U);
    EXPECT_EQ(frame.field(v4 ? Field::kIpv4Src : Field::kIpv6Src).low, v4 ? 0x0a000002U : 2U);
    const std::size_t behind = before.size() - 7;
    EXPECT_EQ(sub(after, behind, 7), sub(before, behind, 7));
  }
}

TEST(StagesIcmpEcho, others_stay_as_they_are) {
  const IcmpEchoParameters other{true, 1, {{0, 0x0a000063}}};
  Bytes reply = echo_request(true);
  reply[34] = 0;
  Bytes broadcast = echo_request(true);
  broadcast[0] = 0xff;
  const IcmpEchoParameters any{true, 0, {}};
  const std::pair<Bytes, const IcmpEchoParameters*> cases[] = {
      {echo_request(true), &other}, {reply, &any}, {broadcast, &any}, {tcp4_frame(), &any}};
  for (const auto& [bytes, parameters] : cases) {
    Frame frame(bytes);
    EXPECT_FALSE(run_icmp_echo(frame.view, *parameters, kOwnMac));
    EXPECT_EQ(frame.bytes(), bytes);
  }
}

TEST(StagesIcmpEcho, an_arp_request_is_answered) {
  Bytes arp{0,  1, 8, 0, 6, 4, 0, 1, 2, 0, 0,  0, 0, 0x55,
            10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 10, 0, 0, 2};
  Bytes request = ethernet(0x0806, arp);
  std::fill_n(request.begin(), 6, std::uint8_t{0xff});
  Frame frame(request);
  ASSERT_TRUE(run_icmp_echo(frame.view, {true, 1, {{0, 0x0a000002}}}, kOwnMac));
  const Bytes expected{2, 0, 0, 0, 0, 0x55, 2, 9,  9, 9, 9, 9, 8, 6, 0, 1, 8,    0,  6, 4, 0,
                       2, 2, 9, 9, 9, 9,    9, 10, 0, 0, 2, 2, 0, 0, 0, 0, 0x55, 10, 0, 0, 1};
  EXPECT_EQ(frame.bytes(), expected);
  Frame unasked(request);
  EXPECT_FALSE(run_icmp_echo(unasked.view, {false, 0, {}}, kOwnMac));
}

TEST(StagesHash, both_directions_agree_only_where_asked) {
  Frame there(tcp4_frame());
  Frame back(tcp4_frame());
  run_swap(back.view, {true, true, true});
  const auto hash = [](const Frame& frame, bool symmetric) {
    return flow_hash(frame.view, HashOver::kFiveTuple, symmetric);
  };
  EXPECT_EQ(hash(there, true), hash(back, true));
  EXPECT_NE(hash(there, false), hash(back, false));
  EXPECT_EQ(flow_hash(there.view, HashOver::kSourceIp, false),
            flow_hash(Frame(tcp4_frame()).view, HashOver::kSourceIp, false));
  EXPECT_EQ(flow_hash(there.view, HashOver::kIpPair, true),
            flow_hash(back.view, HashOver::kIpPair, true));
}

TEST(StagesPolice, the_burst_passes_and_then_the_rate) {
  // 1000 packets a second, bursts of 10.
  constexpr std::uint64_t kPerPacket = 1'000'000ULL * kPoliceTicksPerNs;
  const PoliceParameters parameters{kPerPacket, 0, 10 * kPerPacket};
  std::uint64_t word = 0;
  int passed = 0;
  for (int i = 0; i < 100; ++i) passed += run_police(&word, 0, 64, parameters) ? 1 : 0;
  EXPECT_EQ(passed, 10);
  passed = 0;
  for (std::uint64_t i = 1; i <= 1000; ++i) {  // 10,000 a second, for 100 ms
    passed += run_police(&word, i * kPerPacket / 10, 64, parameters) ? 1 : 0;
  }
  EXPECT_EQ(passed, 100);
}

TEST(StagesPolice, bytes_cost_what_they_are) {
  // 1 byte a ns.
  constexpr std::uint64_t kNs = kPoliceTicksPerNs;
  const PoliceParameters parameters{0, kNs << 20, 2000 * kNs};
  std::uint64_t word = 0;
  EXPECT_TRUE(run_police(&word, 0, 1500, parameters));
  EXPECT_FALSE(run_police(&word, 0, 501, parameters));
  EXPECT_TRUE(run_police(&word, 0, 500, parameters));
  EXPECT_FALSE(run_police(&word, 99 * kNs, 100, parameters));
  EXPECT_TRUE(run_police(&word, 100 * kNs, 100, parameters));
}

TEST(StagesPolice, a_raised_rate_holds_at_once_whatever_the_bucket_of_the_former_owes) {
  constexpr std::uint64_t kSecond = 1'000'000'000ULL * kPoliceTicksPerNs;
  const PoliceParameters slow{kSecond, 0, 100 * kSecond};
  const PoliceParameters fast{kSecond / 1000, 0, kSecond / 100};
  std::uint64_t word = 0;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(run_police(&word, 0, 64, slow));
  EXPECT_FALSE(run_police(&word, 0, 64, fast));  // the bucket is empty still
  int passed = 0;
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    passed += run_police(&word, i * kSecond / 1000, 64, fast) ? 1 : 0;
  }
  EXPECT_EQ(passed, 1000);
}

}  // namespace
}  // namespace ringside::stages
