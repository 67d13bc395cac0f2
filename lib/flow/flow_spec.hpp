// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a port does with the packets that reach it, as plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside {

/// A header of a pattern: an rte_flow item.
struct FlowHeader {
  int type;                        ///< enum rte_flow_item_type
  std::vector<std::uint8_t> spec;  ///< its struct rte_flow_item_*; empty: any
  std::vector<std::uint8_t> mask;  ///< as long as spec
  bool operator==(const FlowHeader&) const = default;
};

struct FlowSpec {
  std::string name;                   ///< in errors and reports
  std::vector<FlowHeader> pattern;    ///< empty: every packet
  std::vector<std::uint16_t> queues;  ///< receive queues of the port; none: dropped by the NIC
  std::uint64_t rss_types = 0;        ///< RTE_ETH_RSS_*, for several queues; 0: IP, TCP and UDP
  std::optional<std::uint32_t> mark;
  bool counted = false;
  bool operator==(const FlowSpec&) const = default;
};

struct PortFlows {
  std::vector<FlowSpec> flows;           ///< the first that matches has the packet
  std::vector<std::uint16_t> unmatched;  ///< queues for the rest, by RSS; none: dropped by the NIC
  bool operator==(const PortFlows&) const = default;
};

struct FlowHits {
  std::string name;
  std::uint64_t packets;
  std::uint64_t bytes;
};

}  // namespace ringside
