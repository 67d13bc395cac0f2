// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Leads all traffic of a port to queues.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "lib/flow/flow_rule.hpp"

namespace ringside {

/// The PMD looks only at the first one when it is asked to mix its own queues with external ones.
/// Throws usage errors: an empty list, a mixed one, an id twice.
void check_queue_list(std::span<const std::uint16_t> ids);

/// Leads every packet of a started port to a list of ethdev queue ids, for as long as it lives. One
/// queue gets all. Several: RSS by the PMD's Toeplitz key over IP addresses and TCP and UDP ports,
/// packets without IP to the first queue.
class Steering {
 public:
  /// Throws Error.
  Steering(std::uint16_t port, std::span<const std::uint16_t> ids);

 private:
  std::optional<FlowRule> distribute_;
  std::optional<FlowRule> enter_;  ///< made last and destroyed first
};

}  // namespace ringside
