// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/flow/flow_rule.hpp"

#include <rte_flow.h>

#include <array>
#include <utility>

#include "lib/base/error.hpp"

namespace ringside {
namespace {

const char* reason(const rte_flow_error& error) {
  return error.message != nullptr ? error.message : "no reason given";
}

}  // namespace

FlowRule::FlowRule(std::uint16_t port, FlowPlace place, std::span<const rte_flow_item> pattern,
                   std::span<const rte_flow_action> actions)
    : port_(port) {
  rte_flow_attr attributes{};
  attributes.group = place.group;
  attributes.priority = place.priority;
  attributes.ingress = 1;
  rte_flow_error error{};
  rule_ = rte_flow_create(port, &attributes, pattern.data(), actions.data(), &error);
  if (rule_ == nullptr) {
    throw Error(fmt::format("port {}: the PMD refused the flow rule, {}", port, reason(error)),
                "the port has to be started, in flow mode 1 (dv_flow_en=1)");
  }
}

FlowRule::FlowRule(FlowRule&& other) noexcept
    : port_(other.port_), rule_(std::exchange(other.rule_, nullptr)) {}

FlowRule::~FlowRule() {
  rte_flow_error error{};
  if (rule_ != nullptr) rte_flow_destroy(port_, rule_, &error);
}

FlowRule::Hits FlowRule::hits() const {
  const std::array<rte_flow_action, 2> asked{rte_flow_action{RTE_FLOW_ACTION_TYPE_COUNT, nullptr},
                                             rte_flow_action{RTE_FLOW_ACTION_TYPE_END, nullptr}};
  rte_flow_query_count count{};
  rte_flow_error error{};
  if (rte_flow_query(port_, rule_, asked.data(), &count, &error) != 0) {
    throw Error(fmt::format("port {}: the PMD does not count a rule, {}", port_, reason(error)),
                "");
  }
  return {count.hits, count.bytes};
}

}  // namespace ringside
