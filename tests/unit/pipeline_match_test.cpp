// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Matches: how they are read, and which packets one has that another has too.
#include "lib/pipeline/match_type.hpp"

#include <gtest/gtest.h>

#include <string>

#include "lib/pipeline/field.hpp"

namespace ringside::pipeline::test {
namespace {

Match read(const std::string& yaml, Matcher matcher = Matcher::kStage) {
  Problems problems("test.yaml");
  Reading reading{.problems = problems};
  const Node node = parse_yaml(yaml, problems);
  Match result;
  match(matcher).type->read(node, "match", &result, reading);
  for (const Problem& problem : problems.take()) ADD_FAILURE() << to_text(problem);
  return result;
}

const FieldMatch& only_field(const Match& match) {
  return match.items.at(0).fields.at(0);
}

TEST(Match, a_value_matches_all_bits_of_the_field) {
  const Match match = read("{udp: {dst: 53}}");
  ASSERT_EQ(match.items.size(), 1U);
  EXPECT_EQ(match.items[0].item, Item::kUdp);
  EXPECT_FALSE(match.items[0].inner);
  EXPECT_EQ(only_field(match).field, Field::kUdpDst);
  EXPECT_EQ(low_bits(only_field(match).mask), 0xffffU);
  EXPECT_EQ(low_bits(only_field(match).first), 53U);
  EXPECT_EQ(only_field(match).last, only_field(match).first);
}

TEST(Match, prefixes_masks_and_ranges_are_read) {
  const Match prefix = read("{ipv4: {dst: 10.1.0.0/16}}");
  EXPECT_EQ(low_bits(only_field(prefix).mask), 0xffff0000U);
  EXPECT_EQ(low_bits(only_field(prefix).first), 0x0a010000U);

  const Match mask = read("{tcp: {flags: 0x02/0x12}}");
  EXPECT_EQ(low_bits(only_field(mask).mask), 0x12U);
  EXPECT_EQ(low_bits(only_field(mask).first), 0x02U);

  const Match range = read("{tcp: {dst: 1000-2000}}");
  EXPECT_EQ(low_bits(only_field(range).first), 1000U);
  EXPECT_EQ(low_bits(only_field(range).last), 2000U);
  EXPECT_EQ(low_bits(only_field(range).mask), 0xffffU);
}

TEST(Match, addresses_of_128_bits_keep_their_upper_half) {
  const Match match = read("{ipv6: {src: \"2001:db8::/32\"}}");
  EXPECT_EQ(only_field(match).first[0], 0x20);
  EXPECT_EQ(only_field(match).first[3], 0xb8);
  EXPECT_EQ(only_field(match).mask[3], 0xff);
  EXPECT_EQ(only_field(match).mask[4], 0x00);
}

TEST(Match, items_are_in_the_order_of_headers_whatever_the_file_has) {
  const Match match = read("{inner: {udp: , ipv4: }, vxlan: {vni: 5}, udp: , ipv4: , eth: }");
  std::vector<std::pair<Item, bool>> items;
  for (const ItemMatch& item : match.items) items.emplace_back(item.item, item.inner);
  EXPECT_EQ(items, (std::vector<std::pair<Item, bool>>{{Item::kEth, false},
                                                       {Item::kIpv4, false},
                                                       {Item::kUdp, false},
                                                       {Item::kVxlan, false},
                                                       {Item::kIpv4, true},
                                                       {Item::kUdp, true}}));
}

struct Pair {
  const char* wide;
  const char* narrow;
  bool covers;
};

class Covers : public testing::TestWithParam<Pair> {};

TEST_P(Covers, tells_whether_every_packet_of_the_one_is_of_the_other) {
  EXPECT_EQ(covers(read(GetParam().wide), read(GetParam().narrow)), GetParam().covers);
}

INSTANTIATE_TEST_SUITE_P(
    Match, Covers,
    testing::Values(Pair{"{}", "{udp: {dst: 53}}", true},        //
                    Pair{"{udp: {dst: 53}}", "{}", false},       //
                    Pair{"{udp: }", "{udp: {dst: 53}}", true},   //
                    Pair{"{udp: {dst: 53}}", "{udp: }", false},  //
                    Pair{"{udp: }", "{tcp: {dst: 53}}", false},  //
                    Pair{"{udp: {dst: 53}}", "{udp: {src: 53}}", false},
                    Pair{"{ipv4: {dst: 10.0.0.0/8}}", "{ipv4: {dst: 10.1.0.0/16}}", true},
                    Pair{"{ipv4: {dst: 10.1.0.0/16}}", "{ipv4: {dst: 10.0.0.0/8}}", false},
                    Pair{"{ipv4: {dst: 10.0.0.0/8}}", "{ipv4: {dst: 11.0.0.0/16}}", false},
                    Pair{"{ipv4: {dst: 0.0.0.0/0}}", "{ipv4: {dst: 11.0.0.0/16}}", true},
                    Pair{"{ipv4: {dst: 10.0.0.0/8}}", "{ipv4: {dst: 10.0.0.1}, udp: }", true},
                    Pair{"{tcp: {dst: 1-100}}", "{tcp: {dst: 20-30}}", true},
                    Pair{"{tcp: {dst: 20-30}}", "{tcp: {dst: 20-31}}", false},
                    Pair{"{tcp: {dst: 20-30}}", "{tcp: {dst: 30}}", true},
                    Pair{"{tcp: {dst: 20-30}}", "{tcp: {dst: 31}}", false},
                    Pair{"{tcp: {flags: 2/2}}", "{tcp: {flags: 0x12}}", true},
                    Pair{"{tcp: {flags: 2/2}}", "{tcp: {flags: 0x10}}", false},
                    Pair{"{ipv4: }", "{vxlan: , inner: {ipv4: }}", false},
                    Pair{"{eth: }", "{udp: }", true},  //
                    Pair{"{eth: {dst: \"02:00:00:00:00:01\"}}", "{udp: }", false},
                    Pair{"{ipv4: }", "{icmp: }", true},   //
                    Pair{"{ipv6: }", "{icmp6: }", true},  //
                    Pair{"{ipv4: }", "{udp: }", false},   //
                    Pair{"{udp: }", "{vxlan: }", true},   //
                    Pair{"{eth: {type: 0x0800}}", "{ipv4: {ttl: 1}}", true},
                    Pair{"{eth: {type: 0x0800}}", "{ipv6: }", false},
                    Pair{"{ipv4: {proto: 6}}", "{ipv4: , tcp: {dst: 80}}", true},
                    Pair{"{ipv4: {proto: 6}}", "{ipv4: , udp: }", false},
                    Pair{"{ipv4: {proto: 6}}", "{ipv4: {proto: 6}, tcp: }", true}));

}  // namespace
}  // namespace ringside::pipeline::test
