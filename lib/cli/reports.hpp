// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Text blocks as dpdk-testpmd prints them: scripts parse these, so spaces and colons count.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/cli/rates.hpp"
#include "lib/runtime/runtime.hpp"

namespace ringside::cli {

std::string port_stats_report(std::uint16_t port, const PortStats& stats, const Rates& rates);

std::string port_info_report(const PortInfo& info);

std::string port_summary_header(std::size_t ports);
std::string port_summary_line(const PortInfo& info);

/// The banner of `start` and `show config fwd`. `ports` give the streams' NUMA sockets.
std::string forward_config_report(std::string_view mode, const RuntimeConfig& config,
                                  std::span<const PortInfo> ports,
                                  std::span<const StreamStats> streams);

std::string rxtx_config_report(std::string_view mode, const RuntimeConfig& config,
                               std::span<const PortInfo> ports, std::size_t streams);

/// One port's counters since the run began.
struct PortRun {
  std::uint16_t port;
  PortStats stats;
};

/// Per stream when a port has several, per port, and the sum.
std::string forward_stats_report(std::span<const PortRun> ports,
                                 std::span<const StreamStats> streams);

/// A line a queue of the port that a stream has, with what its kernel counts, where one does.
std::string queue_stats_report(std::uint16_t port, std::span<const StreamStats> streams);

}  // namespace ringside::cli
