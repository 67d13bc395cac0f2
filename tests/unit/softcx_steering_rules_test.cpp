// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What rules do with packets.
#include <chrono>
#include <map>
#include <random>
#include <thread>

#include "lib/mlx5/format/cqe.hpp"
#include "tests/unit/softcx_steering_fixture.hpp"

namespace softcx {
namespace {

using Rules = SteeringTest;
using frames::udp4;
using Kind = Verdict::Kind;

TEST_F(Rules, without_rules_nothing_is_delivered) {
  EXPECT_EQ(classify(udp4(1, 2)).kind, Kind::kNoRule);
}

TEST_F(Rules, packet_goes_to_the_queue_of_the_rule_that_it_matches) {
  Rq &first = make_rq(), &second = make_rq();
  Action* to_first = create_target_action(make_tir(first));
  Action* to_second = create_target_action(make_tir(second));
  Matcher* matcher = udp_port_matcher(*root_);
  rule(matcher, {{kUdpPort, 5000}}, {to_first});
  rule(matcher, {{kUdpPort, 6000}}, {to_second});
  EXPECT_EQ(classify(udp4(1, 5000)).rq, &first);
  EXPECT_EQ(classify(udp4(1, 6000)).rq, &second);
  EXPECT_EQ(classify(udp4(1, 6000)).kind, Kind::kDeliver);
  EXPECT_EQ(classify(udp4(1, 7000)).kind, Kind::kNoRule);
}

TEST_F(Rules, queue_that_is_not_ready_is_still_the_verdict) {
  Rq& rq = make_rq(QueueState::kReset);
  rule(any_matcher(*root_), {}, {create_target_action(make_tir(rq))});
  EXPECT_EQ(classify(udp4(1, 2)).kind, Kind::kDeliver);
}

TEST_F(Rules, drop_rule) {
  rule(udp_port_matcher(*root_), {{kUdpPort, 5000}}, {drop_});
  EXPECT_EQ(classify(udp4(1, 5000)).kind, Kind::kRuleDrop);
}

TEST_F(Rules, lower_priority_number_decides) {
  Action* to_queue = create_target_action(make_tir(make_rq()));
  rule(any_matcher(*root_, 5), {}, {drop_});
  rule(udp_port_matcher(*root_, 2), {{kUdpPort, 5000}}, {to_queue});
  rule(udp_port_matcher(*root_, 9), {{kUdpPort, 6000}}, {to_queue});
  EXPECT_EQ(classify(udp4(1, 5000)).kind, Kind::kDeliver);
  EXPECT_EQ(classify(udp4(1, 6000)).kind, Kind::kRuleDrop);
}

TEST_F(Rules, ip_version_below_the_root_is_compared_as_a_whole) {
  // The PMD's masks there are the version itself; 4 is also a bit of 6.
  Table* table = create_table(*receive_, 1);
  rule(any_matcher(*root_), {}, {create_table_action(*table)});
  Matcher* ipv4 = create_matcher(*table, 0, kCriteriaOuter, Pattern{{kIpVersion, 4}});
  rule(ipv4, {{kIpVersion, 4}}, {drop_});
  EXPECT_EQ(classify(udp4(1, 2)).kind, Kind::kRuleDrop);
  const auto ipv6 = frames::ethernet(0x86dd, frames::ipv6(17, frames::udp(1, 2)));
  EXPECT_EQ(classify(ipv6).kind, Kind::kNoRule);
}

TEST_F(Rules, mark_and_counter) {
  FlowCounterBulk& bulk = make_bulk(4);
  Action* to_queue = create_target_action(make_tir(make_rq()));
  Action* mark = create_plain_action(Action::Kind::kTag, 0xabcdef);
  Action* counter = create_counter_action(bulk, 3);
  rule(udp_port_matcher(*root_), {{kUdpPort, 5000}}, {mark, counter, to_queue});
  const frames::Bytes frame = udp4(1, 5000);
  for (int i = 0; i < 3; ++i) {
    const Verdict verdict = classify(frame);
    EXPECT_TRUE(verdict.marked);
    EXPECT_EQ(verdict.flow_tag, 0xabcdefU);
  }
  EXPECT_FALSE(classify(udp4(1, 5001)).marked);
  EXPECT_EQ(bulk.counters[3].packets, 0U) << "counted where the frame meets its fate";
  for (int i = 0; i < 3; ++i) {
    count_rules(classify(frame), static_cast<std::uint32_t>(frame.size()));
  }
  EXPECT_EQ(bulk.counters[3].packets, 3U);
  EXPECT_EQ(bulk.counters[3].bytes, 3 * frame.size());
  EXPECT_EQ(bulk.counters[0].packets, 0U);
}

TEST_F(Rules, jump_goes_on_in_the_other_table_and_keeps_the_mark) {
  Table* table = create_table(*receive_, 10);
  Action* jump = create_table_action(*table);
  Action* mark = create_plain_action(Action::Kind::kTag, 7);
  Rq& rq = make_rq();
  rule(any_matcher(*root_), {}, {mark, jump});
  rule(udp_port_matcher(*table), {{kUdpPort, 5000}}, {create_target_action(make_tir(rq))});
  const Verdict verdict = classify(udp4(1, 5000));
  EXPECT_EQ(verdict.rq, &rq);
  EXPECT_EQ(verdict.flow_tag, 7U);
  EXPECT_EQ(classify(udp4(1, 6000)).kind, Kind::kNoRule) << "a miss in the table is a miss";
}

TEST_F(Rules, default_miss_and_a_rule_without_destination_are_misses) {
  Table* table = create_table(*receive_, 1);
  rule(any_matcher(*root_), {}, {create_table_action(*table)});
  Matcher* matcher = udp_port_matcher(*table);
  rule(matcher, {{kUdpPort, 5000}}, {create_plain_action(Action::Kind::kMiss)});
  rule(matcher, {{kUdpPort, 6000}}, {});
  rule(any_matcher(*table, 1), {}, {drop_});
  EXPECT_EQ(classify(udp4(1, 5000)).kind, Kind::kNoRule);
  EXPECT_EQ(classify(udp4(1, 6000)).kind, Kind::kNoRule);
  EXPECT_EQ(classify(udp4(1, 7000)).kind, Kind::kRuleDrop);
}

TEST_F(Rules, root_tables_of_all_domains_are_one) {
  SteeringDomain* other = create_domain(DomainType::kNicReceive);
  rule(any_matcher(*root_, 1), {}, {create_target_action(make_tir(make_rq()))});
  rule(udp_port_matcher(*create_table(*other, 0)), {{kUdpPort, 5000}}, {drop_});
  EXPECT_EQ(classify(udp4(1, 5000)).kind, Kind::kRuleDrop);
  EXPECT_EQ(classify(udp4(1, 6000)).kind, Kind::kDeliver);
}

TEST_F(Rules, parts_that_criteria_do_not_enable_are_not_compared) {
  Matcher* matcher =
      create_matcher(*root_, 0, kCriteriaMisc,
                     Pattern{{kUdpPort, 0xffff}, {match::misc_parameters / misc::vxlan_vni, 0}});
  rule(matcher, {{kUdpPort, 5000}}, {drop_});
  EXPECT_EQ(classify(udp4(1, 1)).kind, Kind::kRuleDrop);
}

TEST_F(Rules, destroyed_rule_no_longer_decides) {
  Matcher* matcher = udp_port_matcher(*root_);
  RuleHandle* gone = rule(matcher, {{kUdpPort, 5000}}, {drop_});
  rule(matcher, {{kUdpPort, 6000}}, {drop_});
  destroy(gone);
  EXPECT_EQ(classify(udp4(1, 5000)).kind, Kind::kNoRule);
  EXPECT_EQ(classify(udp4(1, 6000)).kind, Kind::kRuleDrop);
}

TEST_F(Rules, of_two_equal_rules_the_first_decides_until_it_is_gone) {
  Table* table = create_table(*receive_, 1);
  rule(any_matcher(*root_), {}, {create_table_action(*table)});
  Matcher* matcher = udp_port_matcher(*table);
  Action* to_queue = create_target_action(make_tir(make_rq()));
  RuleHandle* first = rule(matcher, {{kUdpPort, 5000}}, {drop_});
  RuleHandle* second = rule(matcher, {{kUdpPort, 5000}}, {to_queue});
  EXPECT_EQ(classify(udp4(1, 5000)).kind, Kind::kRuleDrop);
  destroy(first);
  EXPECT_EQ(classify(udp4(1, 5000)).kind, Kind::kDeliver);
  RuleHandle* third = rule(matcher, {{kUdpPort, 5000}}, {drop_});
  destroy(third);
  EXPECT_EQ(classify(udp4(1, 5000)).kind, Kind::kDeliver);
  destroy(second);
  EXPECT_EQ(classify(udp4(1, 5000)).kind, Kind::kNoRule);
}

/// Random insertion and removal against a map: growing, erased slots and collisions.
TEST_F(Rules, thousands_of_rules_come_and_go) {
  Matcher* matcher = udp_port_matcher(*root_);
  std::map<std::uint32_t, RuleHandle*> rules;
  std::mt19937 random(7);
  for (int round = 0; round < 20'000; ++round) {
    const std::uint32_t port = random() % 4096;
    if (const auto found = rules.find(port); found != rules.end()) {
      destroy(found->second);
      rules.erase(found);
    } else {
      rules[port] = rule(matcher, {{kUdpPort, port}}, {drop_});
    }
  }
  for (std::uint32_t port = 0; port < 4096; ++port) {
    EXPECT_EQ(classify(udp4(1, static_cast<std::uint16_t>(port))).kind == Kind::kRuleDrop,
              rules.contains(port));
  }
}

class Reachability : public SteeringTest {
 protected:
  bool reached() const { return steering_.reaches_ready_queue(); }
  static void settle() {
    std::this_thread::sleep_for(std::chrono::nanoseconds(Steering::kSettleNs + 1'000'000));
  }
};

TEST_F(Reachability, needs_a_way_from_the_root_to_a_ready_queue) {
  EXPECT_FALSE(reached());
  Rq& rq = make_rq(QueueState::kReset);
  Table* table = create_table(*receive_, 1);
  rule(any_matcher(*table), {}, {create_target_action(make_tir(rq))});
  rq.state = QueueState::kReady;
  settle();
  EXPECT_FALSE(reached()) << "nothing leads to the table";
  RuleHandle* jump = rule(any_matcher(*root_), {}, {create_table_action(*table)});
  settle();
  EXPECT_TRUE(reached());
  rq.state = QueueState::kError;
  EXPECT_FALSE(reached());
  rq.state = QueueState::kReady;
  rq.consumer = 1;
  EXPECT_FALSE(reached()) << "no buffer is posted";
  rq.consumer = 0;
  destroy(jump);
  settle();
  EXPECT_FALSE(reached());
}

TEST_F(Reachability, waits_until_the_rules_have_settled) {
  rule(any_matcher(*root_), {}, {create_target_action(make_tir(make_rq()))});
  EXPECT_FALSE(reached());
  settle();
  EXPECT_TRUE(reached());
  RuleHandle* other = rule(udp_port_matcher(*root_), {{kUdpPort, 1}}, {drop_});
  EXPECT_FALSE(reached());
  settle();
  EXPECT_TRUE(reached());
  destroy(other);
  EXPECT_FALSE(reached());
}

TEST_F(Rules, l4_checksum_is_verified_where_the_frame_is_whole) {
  using namespace frames;
  rule(any_matcher(*root_), {}, {create_target_action(make_tir(make_rq()))});
  const auto l4_ok = [&](const Bytes& frame) {
    classify(frame);
    return (facts_.header_flags & ringside::kCqeL4Ok) != 0;
  };
  const Bytes payload{1, 2, 3};  // odd
  const Bytes good = with_checksum(udp(1, 2, payload), 17, "10.0.0.1", "10.0.0.2");
  EXPECT_TRUE(l4_ok(ethernet(0x0800, ipv4({}, good))));
  EXPECT_TRUE(l4_ok(ethernet(0x0800, ipv4({}, good) + Bytes(9, 0xff)))) << "padding";
  Bytes bad = good;
  bad[9] ^= 1;
  EXPECT_FALSE(l4_ok(ethernet(0x0800, ipv4({}, bad))));
  EXPECT_TRUE(l4_ok(ethernet(0x0800, ipv4({}, udp(1, 2))))) << "UDP without a checksum";
  const Bytes tcp6 = with_checksum(tcp(1, 2, 0x18, payload), 6, "2001:db8::1", "2001:db8::2");
  EXPECT_TRUE(l4_ok(ethernet(0x86dd, ipv6(6, tcp6))));
  EXPECT_FALSE(l4_ok(ethernet(0x86dd, ipv6(17, udp(1, 2))))) << "IPv6 needs the checksum";
  EXPECT_FALSE(l4_ok(ethernet(0x0800, ipv4({.protocol = 1}, Bytes(8)))));
}

}  // namespace
}  // namespace softcx
