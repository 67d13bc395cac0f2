// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/wire/port_groups.hpp"

namespace softcx {

std::vector<std::size_t> port_groups(const Config& config) {
  std::vector<std::size_t> groups;
  std::size_t next = 0;
  for (std::size_t port = 0; port < config.ports.size(); ++port) {
    const WireConfig& wire = config.ports[port].wire;
    const bool follows = wire.kind == WireKind::kCross && wire.peer < port;
    groups.push_back(follows ? groups[wire.peer] : next++);
  }
  return groups;
}

}  // namespace softcx
