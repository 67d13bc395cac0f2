// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <gtest/gtest.h>

#include "kernels/stages/match.hpp"
#include "tests/unit/stages_frame.hpp"

namespace ringside::stages {
namespace {

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
  EXPECT_TRUE(matches(frame.view, Match{item_bit(Item::kTcp), 0, 0, {}}));
  EXPECT_FALSE(matches(frame.view, Match{item_bit(Item::kUdp), 0, 0, {}}));
  EXPECT_FALSE(matches(frame.view, Match{0, item_bit(Item::kTcp), 0, {}}));
  EXPECT_TRUE(matches(frame.view, Match{0, 0, 0, {}}));
}

TEST(StagesMatch, ipv6_addresses_are_compared_whole) {
  const Frame frame(udp6_frame());
  const FieldValue source{0x20010db800000000, 1};
  const FieldValue all{~std::uint64_t{0}, ~std::uint64_t{0}};
  EXPECT_TRUE(
      matches(frame.view, Match{0, 0, 1, {{all, source, source, place_of(Field::kIpv6Src), false}}}));
  EXPECT_FALSE(
      matches(frame.view, Match{0, 0, 1, {{all, source, source, place_of(Field::kIpv6Dst), false}}}));
}

}  // namespace
}  // namespace ringside::stages
