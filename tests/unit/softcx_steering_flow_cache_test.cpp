// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What holds for all packets of a flow, and what does not. The parser, which the short way leaves
// out, is the judge.
#include <map>
#include <random>

#include "lib/mlx5/format/cqe.hpp"
#include "lib/softcx/steering/plain_packet.hpp"
#include "tests/unit/softcx_steering_fixture.hpp"

namespace softcx {
namespace {

using frames::Bytes;
using frames::operator+;

Bytes tcp4(std::uint16_t source, std::uint16_t destination, std::uint32_t sequence) {
  Bytes packet = frames::tcp(source, destination);
  frames::put16(packet, 4, sequence >> 16);
  frames::put16(packet, 6, sequence);
  return frames::ethernet(0x0800, frames::ipv4({.protocol = 6}, packet));
}

std::vector<Bytes> all_kinds() {
  const Bytes udp = frames::udp(7, 9), tcp = frames::tcp(7, 9, 0x112, Bytes(9, 3));
  const Bytes summed =
      frames::with_checksum(frames::udp(7, 9, Bytes(5, 1)), 17, "10.0.0.1", "10.0.0.2");
  return {frames::udp4(1, 2),
          frames::ethernet(0x0800, frames::ipv4({}, summed)),
          frames::ethernet(0x0800, frames::ipv4({}, summed)) + Bytes(11),  // padded
          frames::ethernet(0x0800, frames::ipv4({.protocol = 6}, tcp)),
          frames::ethernet(0x0800, frames::ipv4({.protocol = 1}, udp)),
          frames::ethernet(0x0800, frames::ipv4({.fragment = 0x2000}, udp)),
          frames::ethernet(0x0800, frames::ipv4({.options = Bytes(4, 1)}, udp)),
          frames::ethernet(0x0800, frames::ipv4({}, frames::udp(7, 4789, Bytes(60)))),
          frames::ethernet(0x8100, frames::tag(5, 0x0800, frames::ipv4({}, udp))),
          frames::ethernet(0x86dd, frames::ipv6(17, udp))};
}

/// Where a mutation hit the IPv4 header, what is behind it would otherwise never be looked at.
void mend_header_checksum(Bytes& frame) {
  if (frame.size() < 34) return;
  frames::put16(frame, 24, 0);
  frames::put16(frame, 24,
                frames::internet_checksum(Bytes(frame.begin() + 14, frame.begin() + 34)));
}

FlowKey without_sequences(FlowKey key) {
  key.misc3.outer_tcp_sequence = key.misc3.outer_tcp_acknowledgement = {};
  return key;
}

bool same_facts(const HeaderFacts& a, const HeaderFacts& b) {
  return a.header_flags == b.header_flags && a.header_types == b.header_types &&
         a.l4_offset == b.l4_offset && a.l4_length == b.l4_length &&
         a.l4_pseudo_sum == b.l4_pseudo_sum;
}

TEST(PlainPacket, damaged_frames_are_read_as_the_parser_reads_them) {
  std::mt19937 random(1);
  std::map<PlainWords, FlowKey> keys;
  std::size_t plain_frames = 0, equal_words = 0;
  for (int i = 0; i < 200'000; ++i) {
    static const std::vector<Bytes> kKinds = all_kinds();
    Bytes frame = kKinds[random() % kKinds.size()];
    for (auto left = random() % 4; left != 0; --left) {
      frame[random() % std::min<std::size_t>(frame.size(), 56)] =
          static_cast<std::uint8_t>(random() % 3 == 0 ? random() : random() % 8);
    }
    if (random() % 8 != 0) mend_header_checksum(frame);
    if (random() % 8 == 0) frame.resize(random() % (frame.size() + 1));
    const auto length = static_cast<std::uint32_t>(frame.size());

    HeaderFacts facts;
    if (!read_plain_packet(frame, length, facts)) continue;
    ++plain_frames;
    ParsedPacket parsed;
    parse_packet(frame, length, parsed);
    ASSERT_TRUE(same_facts(facts, parsed.facts)) << i;
    const FlowKey key = without_sequences(parsed.key);
    const auto [known, is_new] = keys.emplace(plain_words(frame.data()), key);
    equal_words += is_new ? 0 : 1;
    ASSERT_EQ(std::memcmp(&known->second, &key, sizeof(key)), 0) << i;
  }
  EXPECT_GT(plain_frames, 20'000U);
  EXPECT_GT(equal_words, 5'000U);
}

using KnownFlow = SteeringTest;

TEST_F(KnownFlow, follows_each_change_of_the_rules) {
  Matcher* matcher = udp_port_matcher(*root_);
  const Bytes frame = frames::udp4(1, 53);
  EXPECT_EQ(classify(frame).kind, Verdict::Kind::kNoRule);
  for (int i = 0; i < 3; ++i) {
    Rq& rq = make_rq();
    RuleHandle* handle = rule(matcher, {{kUdpPort, 53}}, {create_target_action(make_tir(rq))});
    EXPECT_EQ(classify(frame).rq, &rq);
    EXPECT_EQ(classify(frame).rq, &rq);
    destroy(handle);
    EXPECT_EQ(classify(frame).kind, Verdict::Kind::kNoRule);
  }
  rule(matcher, {{kUdpPort, 53}}, {drop_});
  EXPECT_EQ(classify(frame).kind, Verdict::Kind::kRuleDrop);
}

TEST_F(KnownFlow, follows_a_changed_receive_table) {
  Rqt rqt;
  Rq& before = make_rq();
  Rq& after = make_rq();
  const std::vector<Rq*> first{&before}, second{&after};
  rqt.queues.store(&first);
  Tir& tir = make_tir();
  tir.indirect = true;
  tir.rqt = &rqt;
  rule(any_matcher(*root_), {}, {create_target_action(tir)});
  const Bytes frame = frames::udp4(1, 53);
  EXPECT_EQ(classify(frame).rq, &before);
  rqt.queues.store(&second);
  EXPECT_EQ(classify(frame).rq, &after);
}

TEST_F(KnownFlow, is_one_flow_only_as_far_as_a_rule_may_ask) {
  constexpr ringside::prm::Field kTtl = match::outer_headers / layer::ip_ttl_hoplimit;
  rule(create_matcher(*root_, 0, kCriteriaOuter, Pattern{{kTtl, 0xff}}), {{kTtl, 1}}, {drop_});
  Bytes frame = frames::udp4(1, 53);
  EXPECT_EQ(classify(frame).kind, Verdict::Kind::kNoRule);
  frame[22] = 1;
  mend_header_checksum(frame);
  EXPECT_EQ(classify(frame).kind, Verdict::Kind::kRuleDrop);
  frame[24] ^= 1;  // a wrong checksum changes nothing that this rule asks for
  EXPECT_EQ(classify(frame).kind, Verdict::Kind::kRuleDrop);
  EXPECT_EQ(facts_.header_flags & ringside::kCqeL3Ok, 0);
}

TEST_F(KnownFlow, rule_on_sequence_numbers_sees_each_packet) {
  namespace misc3 = ringside::prm::fte_match_set_misc3;
  constexpr ringside::prm::Field kSequence = match::misc_parameters_3 / misc3::outer_tcp_seq_num;
  rule(create_matcher(*root_, 0, kCriteriaMisc3, Pattern{{kSequence, 0xffffffff}}),
       {{kSequence, 77}}, {drop_});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(classify(tcp4(1, 2, 76)).kind, Verdict::Kind::kNoRule);
    EXPECT_EQ(classify(tcp4(1, 2, 77)).kind, Verdict::Kind::kRuleDrop);
  }
}

TEST_F(KnownFlow, has_each_packet_checked_for_its_own_checksum) {
  rule(any_matcher(*root_), {}, {create_target_action(make_tir(make_rq()))});
  const Bytes right = frames::ethernet(
      0x0800, frames::ipv4({}, frames::with_checksum(frames::udp(1, 2, Bytes(64, 5)), 17,
                                                     "10.0.0.1", "10.0.0.2")));
  Bytes wrong = right;
  wrong.back() ^= 1;
  for (int i = 0; i < 2; ++i) {
    classify(right);
    EXPECT_NE(facts_.header_flags & ringside::kCqeL4Ok, 0);
    classify(wrong);
    EXPECT_EQ(facts_.header_flags & ringside::kCqeL4Ok, 0);
  }
}

TEST_F(KnownFlow, rule_for_all_packets_gives_way_to_one_that_asks) {
  Rq& all = make_rq();
  Rq& some = make_rq();
  rule(any_matcher(*root_, 1), {}, {create_target_action(make_tir(all))});
  const Bytes asked = frames::udp4(1, 53), other = frames::udp4(1, 54);
  for (int i = 0; i < 3; ++i) {
    for (const Bytes& frame : {asked, other, asked}) EXPECT_EQ(classify(frame).rq, &all);
    Matcher* asks = udp_port_matcher(*root_);
    RuleHandle* handle = rule(asks, {{kUdpPort, 53}}, {create_target_action(make_tir(some))});
    for (const Bytes& frame : {other, asked, other}) {
      EXPECT_EQ(classify(frame).rq, frame == asked ? &some : &all);
    }
    destroy(handle);
    destroy(asks);
  }
}

TEST_F(KnownFlow, rule_for_all_packets_leaves_each_its_own_headers) {
  rule(any_matcher(*root_), {}, {create_target_action(make_tir(make_rq()))});
  for (int i = 0; i < 2; ++i) {
    for (const Bytes& frame : all_kinds()) {
      ParsedPacket parsed;
      parse_packet(frame, static_cast<std::uint32_t>(frame.size()), parsed);
      EXPECT_EQ(classify(frame).kind, Verdict::Kind::kDeliver);
      EXPECT_EQ(facts_.header_types, parsed.facts.header_types);
    }
  }
}

TEST_F(KnownFlow, counts_each_packet_for_more_rules_than_a_verdict_holds) {
  constexpr std::uint32_t kRules = Verdict::kMaxCounters + 2;
  FlowCounterBulk& bulk = make_bulk(kRules);
  Table* table = root_;
  for (std::uint32_t i = 0; i < kRules; ++i) {
    Action* counter = create_counter_action(bulk, i);
    Table* next = create_table(*receive_, i + 1);
    Action* end = i + 1 == kRules ? drop_ : create_table_action(*next);
    rule(any_matcher(*table), {}, {counter, end});
    table = next;
  }
  const Bytes frame = frames::udp4(1, 53);
  for (int i = 0; i < 3; ++i) {
    count_rules(classify(frame), static_cast<std::uint32_t>(frame.size()));
  }
  for (std::uint32_t i = 0; i < kRules; ++i) EXPECT_EQ(bulk.counters[i].packets.load(), 3U) << i;
}

}  // namespace
}  // namespace softcx
