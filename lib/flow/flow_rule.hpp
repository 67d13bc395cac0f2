// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// One rte_flow rule, destroyed with its owner. Stopping a port flushes its rules: owners destroy
// theirs before.
#pragma once

#include <cstdint>
#include <span>

struct rte_flow;
struct rte_flow_action;

namespace ringside {

class FlowRule {
 public:
  /// All packets that reach `group` (0: all that come in) go where `actions` say, a list ended by
  /// RTE_FLOW_ACTION_TYPE_END. The PMD may make several hardware rules of it, one after the other.
  /// Throws Error with the PMD's reason.
  FlowRule(std::uint16_t port, std::uint32_t group, std::span<const rte_flow_action> actions);
  FlowRule(FlowRule&& other) noexcept;
  FlowRule& operator=(FlowRule&&) = delete;
  ~FlowRule();

 private:
  std::uint16_t port_;
  rte_flow* rule_;
};

}  // namespace ringside
