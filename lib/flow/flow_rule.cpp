// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/flow/flow_rule.hpp"

#include <rte_flow.h>

#include <array>
#include <utility>

#include "lib/base/error.hpp"

namespace ringside {

FlowRule::FlowRule(std::uint16_t port, std::uint32_t group,
                   std::span<const rte_flow_action> actions)
    : port_(port) {
  rte_flow_attr attributes{};
  attributes.group = group;
  attributes.ingress = 1;
  std::array<rte_flow_item, 2> pattern{};
  pattern[0].type = RTE_FLOW_ITEM_TYPE_ETH;
  pattern[1].type = RTE_FLOW_ITEM_TYPE_END;
  rte_flow_error error{};
  rule_ = rte_flow_create(port, &attributes, pattern.data(), actions.data(), &error);
  if (rule_ == nullptr) {
    throw Error(fmt::format("port {}: the PMD refused the flow rule, {}", port,
                            error.message != nullptr ? error.message : "no reason given"),
                "the port has to be started, in flow mode 1 (dv_flow_en=1)");
  }
}

FlowRule::FlowRule(FlowRule&& other) noexcept
    : port_(other.port_), rule_(std::exchange(other.rule_, nullptr)) {}

FlowRule::~FlowRule() {
  rte_flow_error error{};
  if (rule_ != nullptr) rte_flow_destroy(port_, rule_, &error);
}

}  // namespace ringside
