// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// One rte_flow rule, destroyed with its owner. Stopping a port flushes its rules: owners destroy
// theirs before.
#pragma once

#include <cstdint>
#include <span>

struct rte_flow;
struct rte_flow_action;
struct rte_flow_item;

namespace ringside {

/// Group 0 has all packets that come in; of the rules there that match, the lowest priority number
/// wins.
struct FlowPlace {
  std::uint32_t group;
  std::uint32_t priority;
};

class FlowRule {
 public:
  /// Packets of the pattern go where `actions` say; both lists end in their END entry. The PMD may
  /// make several hardware rules of it, one after the other. Throws Error with the PMD's reason.
  FlowRule(std::uint16_t port, FlowPlace place, std::span<const rte_flow_item> pattern,
           std::span<const rte_flow_action> actions);
  FlowRule(FlowRule&& other) noexcept;
  FlowRule& operator=(FlowRule&&) = delete;
  ~FlowRule();

  struct Hits {
    std::uint64_t packets, bytes;
  };
  /// Of a rule with the action count. Throws Error.
  Hits hits() const;

 private:
  std::uint16_t port_;
  rte_flow* rule_;
};

}  // namespace ringside
