// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Rules of steering calls (mlx5dv_dr_*): what rdma-core or the kernel refuses with an errno.
#include <cerrno>

#include "lib/softcx/rules/table.hpp"

namespace softcx {
namespace {

constexpr RuleEntry failed(RuleId rule, int error_number, std::string_view name,
                           std::string_view text, std::string_view source) {
  return {rule, name, text, source, NicAnswer::kErrno, ringside::prm::Status::kOk, error_number};
}

constexpr RuleEntry kRules[] = {
    failed(RuleId::kMatchCriteria, EINVAL, "steering.match-criteria",
           "A matcher's criteria are parts that exist, and its mask is no longer than they are.",
           "dr_matcher_init() of rdma-core's dr_matcher.c"),
    failed(RuleId::kMatchUnsupported, EOPNOTSUPP, "steering.match-field",
           "A matcher's mask has only fields that the NIC's parser extracts.",
           "PRM, Flow Table Entry Match Parameters; dr_matcher.c of rdma-core"),
    failed(RuleId::kMatchIpVersion, EOPNOTSUPP, "steering.ip-version",
           "Below the root an ip_version mask is 4 or 6, and a rule's value is the same.",
           "dr_ste.c of rdma-core, ip_version"),
    failed(RuleId::kMatchValueLength, EINVAL, "steering.value-length",
           "A rule's value is whole dwords, and no longer than the match parameters.",
           "dr_rule_verify() of rdma-core's dr_rule.c"),
    failed(RuleId::kMatchValueOutsideMask, EINVAL, "steering.value-mask",
           "A rule's value has no bits outside of its matcher's mask.",
           "dr_rule_verify() of rdma-core's dr_rule.c"),
    failed(RuleId::kFlowRuleExists, EEXIST, "steering.duplicate-rule",
           "A matcher has a value once, where duplicates are not allowed.",
           "mlx5dv_dr_domain_allow_duplicate_rules(3)"),
    failed(RuleId::kFlowNoDestination, EINVAL, "steering.root-destination",
           "A rule in the root table has one destination.",
           "mlx5dv_create_flow(3); the kernel takes these rules"),
    failed(RuleId::kFlowActionTwice, EINVAL, "steering.action-twice",
           "A rule has an action of a kind once.", "dr_action.c of rdma-core, next_action_state"),
    failed(RuleId::kFlowActionOrder, EOPNOTSUPP, "steering.action-order",
           "Behind a rule's destination comes at most a counter.",
           "dr_action.c of rdma-core, next_action_state"),
    failed(RuleId::kFlowActionOfOtherDevice, EINVAL, "steering.action-device",
           "A rule's actions are of its own device.", "mlx5dv_dr_flow(3)"),
    failed(RuleId::kFlowObjectUnknown, EINVAL, "steering.object",
           "An action's object exists, and is of the action's kind.",
           "mlx5dv_dr_action_create_dest_devx_tir() and mlx5dv_dr_action_create_flow_counter() of "
           "mlx5dv_dr_flow(3)"),
    failed(RuleId::kFlowCounterOffset, EINVAL, "steering.counter-offset",
           "A counter action's offset lies in its bulk.", "PRM, ALLOC_FLOW_COUNTER"),
    failed(RuleId::kJumpToRoot, EINVAL, "steering.jump-root", "No rule jumps to a root table.",
           "mlx5dv_dr_action_create_dest_table() of rdma-core's dr_action.c"),
    failed(RuleId::kJumpToOtherDomain, EINVAL, "steering.jump-domain",
           "A rule jumps to a table of its own domain.", "dr_action.c of rdma-core"),
    failed(RuleId::kJumpUpwards, EINVAL, "steering.jump-level",
           "A rule jumps to a table of a higher level.", "dr_action.c of rdma-core"),
    failed(RuleId::kSteeringStillUsed, EBUSY, "steering.still-used",
           "Domains, tables, matchers and actions are destroyed after all that use them.",
           "mlx5dv_dr_flow(3); refcounts in rdma-core's mlx5dv_dr.h"),
    failed(RuleId::kSteeringTransmit, EOPNOTSUPP, "steering.transmit",
           "There are no rules on the transmit side, and no tables there below the root.",
           "PRM, HCA capabilities, flow_table_properties_nic_transmit"),
    failed(RuleId::kSteeringDomainType, EINVAL, "steering.domain-type",
           "A domain is of receive, transmit or FDB.", "mlx5dv_dr_flow(3)"),
    failed(RuleId::kSteeringFdb, EOPNOTSUPP, "steering.fdb",
           "An FDB domain is for the manager of an E-Switch.",
           "dr_domain_query_fdb_caps() of rdma-core's dr_domain.c"),
};

}  // namespace

std::span<const RuleEntry> steering_rules() noexcept {
  return kRules;
}

}  // namespace softcx
