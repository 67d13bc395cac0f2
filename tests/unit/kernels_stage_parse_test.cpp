// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <gtest/gtest.h>

#include "kernels/stages/five_tuple.hpp"
#include "kernels/stages/icmp_echo.hpp"
#include "kernels/stages/rewrite.hpp"
#include "kernels/stages/swap.hpp"
#include "tests/unit/stages_frame.hpp"

namespace ringside::stages {
namespace {

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

}  // namespace
}  // namespace ringside::stages
