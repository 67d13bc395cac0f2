// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Leads the traffic of a port to queues.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/flow/flow_rule.hpp"
#include "lib/flow/flow_spec.hpp"

namespace ringside {

/// The PMD looks only at the first one when it is asked to mix its own queues with external ones.
/// Throws usage errors: an empty list, a mixed one, an id twice.
void check_queue_list(std::span<const std::uint16_t> ids);

/// Leads every packet of a started port where its flows say, for as long as it lives. RSS is by the
/// PMD's Toeplitz key; packets without IP go to the first queue of a list.
///
/// Two may be there at once, to change a port's flows without a gap: their `turn`s differ by one,
/// and either has all the packets, or the other.
class Steering {
 public:
  /// `ids`: ethdev queue ids, by the queue numbers of `flows`. Throws Error that names the flow.
  Steering(std::uint16_t port, std::span<const std::uint16_t> ids, const PortFlows& flows,
           std::uint32_t turn);

  /// Of the flows that count, in their order. Throws Error.
  std::vector<FlowHits> counts() const;

 private:
  struct Counted {
    std::string name;
    std::size_t rule;
  };
  std::vector<FlowRule> rules_;
  std::vector<Counted> counted_;
  std::optional<FlowRule> enter_;  ///< made last and destroyed first
};

}  // namespace ringside
