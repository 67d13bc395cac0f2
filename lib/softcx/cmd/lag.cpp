// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Link aggregation: none, unless --fault=bond says so.
#include "lib/mlx5/format/prm_lag.hpp"

#include "lib/softcx/cmd/handlers.hpp"

namespace softcx {

std::uint32_t lag_ports(const Device& device) {
  return device.fault(FaultKind::kBond) == nullptr ? 0 : 2;
}

void query_lag(Command& command) {
  namespace lag = prm::lag_context;
  constexpr prm::Context kOut = prm::query_lag_out::context;
  if (lag_ports(command.device()) == 0) return;
  command.set(kOut / lag::lag_state, 1);
  command.set(kOut / lag::tx_remap_affinity_1, 1);
  command.set(kOut / lag::tx_remap_affinity_2, 2);
}

}  // namespace softcx
