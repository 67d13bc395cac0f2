// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/cli/actions.hpp"

namespace ringside::cli::action {

void start_ports(Session& session, Words words) {
  const std::vector<std::uint16_t> ports = session.select_ports(words[2]);
  if (ports.empty()) return;
  for (const std::uint16_t port : ports) {
    if (!session.port_stopped(port)) {
      session.out().print("Port {} is started already\n", port);
      continue;
    }
    session.runtime().start_port(port);
    session.mark_port_stopped(port, false);
    session.out().print("Port {}: {}\n", port, session.runtime().port_info(port).mac_address);
  }
  session.out().write("Checking link statuses...\nDone\n");
}

void stop_ports(Session& session, Words words) {
  const std::vector<std::uint16_t> ports = session.select_ports(words[2]);
  if (ports.empty()) return;
  session.out().write("Stopping ports...\n");
  for (const std::uint16_t port : ports) {
    if (session.runtime().forwarding()) {
      session.out().print("Port {} is forwarding: stop forwarding first\n", port);
      continue;
    }
    if (session.port_stopped(port)) continue;
    session.runtime().stop_port(port);
    session.mark_port_stopped(port, true);
  }
  session.out().write("Checking link statuses...\nDone\n");
}

}  // namespace ringside::cli::action
