// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What steering refuses, and with which errno.
#include <cerrno>

#include "tests/unit/softcx_steering_fixture.hpp"

namespace softcx {
namespace {

class Refusals : public SteeringTest {
 protected:
  RefusedBy matcher_refused(Table& table, unsigned criteria, std::span<const std::uint8_t> mask) {
    return refused([&] { create_matcher(table, 0, criteria, mask); });
  }
  RefusedBy rule_refused(Matcher* matcher, const Pattern& value, std::vector<Action*> actions) {
    return refused([&] { rule(matcher, value, actions); });
  }

  Table* table_ = create_table(*receive_, 10);
  Action* to_queue_ = create_target_action(make_tir(make_rq()));
  Action* miss_ = create_plain_action(Action::Kind::kMiss);
  Action* mark_ = create_plain_action(Action::Kind::kTag, 1);
};

TEST_F(Refusals, masks_that_are_too_long_or_of_unknown_parts) {
  EXPECT_EQ(matcher_refused(*table_, kCriteriaOuter, std::vector<std::uint8_t>(0x1c0)), kAccepted);
  EXPECT_EQ(matcher_refused(*table_, kCriteriaOuter, std::vector<std::uint8_t>(0x1c4)),
            RefusedBy(RuleId::kMatchCriteria, EINVAL));
  EXPECT_EQ(matcher_refused(*table_, 0x80, {}), RefusedBy(RuleId::kMatchCriteria, EINVAL));
}

TEST_F(Refusals, masks_of_what_the_parser_does_not_extract) {
  const Pattern source_port{{match::misc_parameters / misc::source_port, 0xffff}};
  EXPECT_EQ(matcher_refused(*root_, kCriteriaMisc, source_port),
            RefusedBy(RuleId::kMatchUnsupported, EOPNOTSUPP));
  EXPECT_EQ(matcher_refused(*root_, kCriteriaOuter, source_port), kAccepted)
      << "misc is not enabled";
  const Pattern l4_ok{{match::outer_headers / layer::l4_checksum_ok, 1}};
  EXPECT_EQ(matcher_refused(*root_, kCriteriaOuter, l4_ok),
            RefusedBy(RuleId::kMatchUnsupported, EOPNOTSUPP));
  std::vector<std::uint8_t> misc5(0x1c0);
  misc5[0x194] = 0xff;  // tunnel_header_1
  EXPECT_EQ(matcher_refused(*table_, 1U << 6, misc5),
            RefusedBy(RuleId::kMatchUnsupported, EOPNOTSUPP));
}

TEST_F(Refusals, ip_version_below_the_root_that_is_not_the_version_itself) {
  EXPECT_EQ(matcher_refused(*table_, kCriteriaOuter, Pattern{{kIpVersion, 0xf}}),
            RefusedBy(RuleId::kMatchIpVersion, EOPNOTSUPP));
  EXPECT_EQ(matcher_refused(*root_, kCriteriaOuter, Pattern{{kIpVersion, 0xf}}), kAccepted);
  Matcher* matcher = create_matcher(*table_, 0, kCriteriaOuter, Pattern{{kIpVersion, 6}});
  EXPECT_EQ(rule_refused(matcher, {{kIpVersion, 4}}, {drop_}),
            RefusedBy(RuleId::kMatchIpVersion, EOPNOTSUPP));
  EXPECT_EQ(rule_refused(matcher, {{kIpVersion, 6}}, {drop_}), kAccepted);
}

TEST_F(Refusals, values_outside_the_mask_or_of_a_wrong_size) {
  Matcher* matcher = create_matcher(*table_, 0, kCriteriaOuter, Pattern{{kEthertype, 0xff00}});
  EXPECT_EQ(rule_refused(matcher, {{kEthertype, 0x0800}}, {drop_}), kAccepted);
  EXPECT_EQ(rule_refused(matcher, {{kEthertype, 0x0801}}, {drop_}),
            RefusedBy(RuleId::kMatchValueOutsideMask, EINVAL));
  EXPECT_EQ(rule_refused(matcher, {{kUdpPort, 1}}, {drop_}),
            RefusedBy(RuleId::kMatchValueOutsideMask, EINVAL));
  const auto sized = [&](std::size_t size) {
    return refused([&] {
      create_rule(*matcher, std::vector<std::uint8_t>(size), std::vector<Action*>{drop_});
    });
  };
  EXPECT_EQ(sized(0x1c4), RefusedBy(RuleId::kMatchValueLength, EINVAL));
  EXPECT_EQ(sized(0x3e), RefusedBy(RuleId::kMatchValueLength, EINVAL));
  EXPECT_EQ(sized(0x40), kAccepted);
}

TEST_F(Refusals, root_rule_needs_one_destination) {
  Matcher* matcher = any_matcher(*root_);
  EXPECT_EQ(rule_refused(matcher, {}, {}), RefusedBy(RuleId::kFlowNoDestination, EINVAL));
  EXPECT_EQ(rule_refused(matcher, {}, {mark_}), RefusedBy(RuleId::kFlowNoDestination, EINVAL));
  EXPECT_EQ(rule_refused(matcher, {}, {to_queue_, drop_}),
            RefusedBy(RuleId::kFlowNoDestination, EINVAL));
  EXPECT_EQ(rule_refused(matcher, {}, {to_queue_, mark_}), kAccepted) << "any order";
}

TEST_F(Refusals, other_rules_take_actions_once_and_nothing_behind_the_destination) {
  Matcher* matcher = any_matcher(*table_);
  EXPECT_EQ(rule_refused(matcher, {}, {mark_, mark_, drop_}),
            RefusedBy(RuleId::kFlowActionTwice, EINVAL));
  EXPECT_EQ(rule_refused(matcher, {}, {to_queue_, mark_}),
            RefusedBy(RuleId::kFlowActionOrder, EOPNOTSUPP));
  EXPECT_EQ(rule_refused(matcher, {}, {drop_, to_queue_}),
            RefusedBy(RuleId::kFlowActionOrder, EOPNOTSUPP));
  FlowCounterBulk& bulk = make_bulk(1);
  EXPECT_EQ(rule_refused(matcher, {}, {drop_, create_counter_action(bulk, 0)}), kAccepted);
}

TEST_F(Refusals, jumps_lead_up_and_stay_in_the_domain) {
  EXPECT_EQ(refused([&] { create_table_action(*root_); }), RefusedBy(RuleId::kJumpToRoot, EINVAL));
  Action* to_same = create_table_action(*table_);
  EXPECT_EQ(rule_refused(any_matcher(*table_), {}, {to_same}),
            RefusedBy(RuleId::kJumpUpwards, EINVAL));
  Table* higher = create_table(*receive_, 11);
  EXPECT_EQ(rule_refused(any_matcher(*higher), {}, {to_same}),
            RefusedBy(RuleId::kJumpUpwards, EINVAL));
  SteeringDomain* other = create_domain(DomainType::kNicReceive);
  Action* to_other = create_table_action(*create_table(*other, 20));
  EXPECT_EQ(rule_refused(any_matcher(*root_), {}, {to_other}),
            RefusedBy(RuleId::kJumpToOtherDomain, EINVAL));
}

TEST_F(Refusals, counter_behind_its_bulk) {
  FlowCounterBulk& bulk = make_bulk(512);
  Matcher* matcher = any_matcher(*root_);
  Action* beyond = create_counter_action(bulk, 512);
  EXPECT_EQ(rule_refused(matcher, {}, {beyond, drop_}),
            RefusedBy(RuleId::kFlowCounterOffset, EINVAL));
  // What the PMD probes at its start: an egress rule with nothing but such a counter.
  SteeringDomain* transmit = create_domain(DomainType::kNicTransmit);
  EXPECT_EQ(rule_refused(any_matcher(*create_table(*transmit, 0)), {}, {beyond}),
            RefusedBy(RuleId::kFlowCounterOffset, EINVAL));
}

TEST_F(Refusals, rules_on_the_transmit_side) {
  SteeringDomain* transmit = create_domain(DomainType::kNicTransmit);
  Matcher* matcher = any_matcher(*create_table(*transmit, 0));
  EXPECT_EQ(rule_refused(matcher, {}, {drop_}), RefusedBy(RuleId::kSteeringTransmit, EOPNOTSUPP));
  EXPECT_EQ(classify(frames::udp4(1, 2)).kind, Verdict::Kind::kNoRule);
}

TEST_F(Refusals, table_on_the_transmit_side_below_the_root) {
  SteeringDomain* transmit = create_domain(DomainType::kNicTransmit);
  EXPECT_EQ(refused([&] { create_table(*transmit, 1); }),
            RefusedBy(RuleId::kSteeringTransmit, EOPNOTSUPP));
}

TEST_F(Refusals, second_rule_of_one_value_in_a_root_table) {
  Matcher* matcher = udp_port_matcher(*root_);
  EXPECT_EQ(rule_refused(matcher, {{kUdpPort, 1}}, {drop_}), kAccepted);
  EXPECT_EQ(rule_refused(matcher, {{kUdpPort, 1}}, {to_queue_}),
            RefusedBy(RuleId::kFlowRuleExists, EEXIST));
}

TEST_F(Refusals, second_rule_of_one_value_where_the_domain_forbids_it) {
  Matcher* matcher = udp_port_matcher(*table_);
  EXPECT_EQ(rule_refused(matcher, {{kUdpPort, 1}}, {drop_}), kAccepted);
  EXPECT_EQ(rule_refused(matcher, {{kUdpPort, 1}}, {drop_}), kAccepted);
  receive_->allow_duplicate_rules = false;
  EXPECT_EQ(rule_refused(matcher, {{kUdpPort, 1}}, {drop_}),
            RefusedBy(RuleId::kFlowRuleExists, EEXIST));
}

TEST_F(Refusals, action_of_another_device) {
  Device other_device{1, "0000:ca:00.1", "mlx5_1", "uverbs1", "cx1"};
  Steering other{other_device};
  Action* foreign = other.create_target_action(make_tir(make_rq()).tirn);
  EXPECT_EQ(rule_refused(any_matcher(*root_), {}, {foreign}),
            RefusedBy(RuleId::kFlowActionOfOtherDevice, EINVAL));
  EXPECT_EQ(rule_refused(any_matcher(*root_), {}, {drop_}), kAccepted) << "drop belongs to none";
  Steering::destroy(foreign);
}

TEST_F(Refusals, rule_with_a_counter_or_tir_that_is_gone) {
  FlowCounterBulk& bulk = make_bulk(1);
  Tir& tir = make_tir(make_rq());
  Action* counter = create_counter_action(bulk, 0);
  Action* to_tir = create_target_action(tir);
  device_.flow_counters.erase(bulk.id);
  device_.tirs.erase(tir.tirn);
  EXPECT_EQ(rule_refused(any_matcher(*root_), {}, {counter, drop_}),
            RefusedBy(RuleId::kFlowObjectUnknown, EINVAL));
  EXPECT_EQ(rule_refused(any_matcher(*root_), {}, {to_tir}),
            RefusedBy(RuleId::kFlowObjectUnknown, EINVAL));
}

TEST_F(Refusals, destroying_what_is_in_use) {
  Tir& tir = make_tir(make_rq());
  FlowCounterBulk& bulk = make_bulk(1);
  Action* to_tir = create_target_action(tir);
  Action* counter = create_counter_action(bulk, 0);
  Action* jump = create_table_action(*table_);
  EXPECT_EQ(tir.references, 0U) << "actions alone keep nothing alive";
  Matcher* matcher = any_matcher(*root_);
  RuleHandle* handle = rule(matcher, {}, {counter, to_tir});
  EXPECT_EQ(tir.references, 1U);
  EXPECT_EQ(bulk.references, 1U);
  const RefusedBy busy(RuleId::kSteeringStillUsed, EBUSY);
  EXPECT_EQ(refused([&] { destroy(to_tir); }), busy);
  EXPECT_EQ(refused([&] { destroy(counter); }), busy);
  EXPECT_EQ(refused([&] { destroy(matcher); }), busy);
  EXPECT_EQ(refused([&] { destroy(root_); }), busy);
  EXPECT_EQ(refused([&] { destroy(table_); }), busy) << "an action jumps there";
  EXPECT_EQ(refused([&] { destroy(receive_); }), busy);
  destroy(handle);
  EXPECT_EQ(tir.references, 0U);
  EXPECT_EQ(bulk.references, 0U);
  destroy(to_tir);
  destroy(counter);
  destroy(jump);
  destroy(matcher);
  destroy(root_);
  destroy(table_);
  destroy(receive_);
}

}  // namespace
}  // namespace softcx
