// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/cli/actions.hpp"

namespace ringside::cli::action {

void show_port_info(Session& session, Words words) {
  for (const std::uint16_t port : session.select_ports(words[3])) {
    session.out().write(port_info_report(session.runtime().port_info(port)));
  }
}

void show_port_stats(Session& session, Words words) {
  for (const std::uint16_t port : session.select_ports(words[3])) session.show_port_stats(port);
}

void show_port_summary(Session& session, Words words) {
  const std::vector<std::uint16_t> ports = session.select_ports(words[3]);
  if (ports.empty()) return;
  session.out().write(port_summary_header(session.runtime().ports().size()));
  for (const std::uint16_t port : ports) {
    session.out().write(port_summary_line(session.runtime().port_info(port)));
  }
}

void clear_port_stats(Session& session, Words words) {
  for (const std::uint16_t port : session.select_ports(words[3])) {
    session.clear_port_stats(port);
    session.out().print("\n  NIC statistics for port {} cleared\n", port);
  }
}

void show_forward_stats(Session& session, Words) {
  session.show_forward_stats();
}

void clear_forward_stats(Session& session, Words) {
  session.clear_forward_stats();
}

void show_queue_stats(Session& session, Words words) {
  for (const std::uint16_t port : session.select_ports(words[3])) {
    session.out().write(queue_stats_report(port, session.runtime().stream_stats()));
  }
}

void show_forward_config(Session& session, Words) {
  session.out().write(forward_config_report(session.mode(), session.runtime().config(),
                                            session.port_infos(),
                                            session.runtime().stream_stats()));
}

void show_rxtx_config(Session& session, Words) {
  session.out().write(rxtx_config_report(session.mode(), session.runtime().config(),
                                         session.port_infos(),
                                         session.runtime().stream_stats().size()));
}

}  // namespace ringside::cli::action
