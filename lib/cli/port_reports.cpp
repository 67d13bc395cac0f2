// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <fmt/core.h>

#include <limits>

#include "lib/cli/reports.hpp"

namespace ringside::cli {
namespace {

std::string link_speed(std::uint32_t mbps) {
  constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();
  constexpr std::uint32_t kMbpsOfGbps = 1000;
  if (mbps == kUnknown) return "Unknown";
  if (mbps == 0) return "None";
  if (mbps < kMbpsOfGbps) return fmt::format("{} Mbps", mbps);
  return fmt::format("{:g} Gbps", static_cast<double>(mbps) / kMbpsOfGbps);
}

const char* link_status(const PortInfo& info) {
  return info.link_up ? "up" : "down";
}

}  // namespace

std::string port_stats_report(std::uint16_t port, const PortStats& stats, const Rates& rates) {
  constexpr std::string_view kBorder = "########################";
  return fmt::format(
      "\n  {0} NIC statistics for port {1:<2} {0}\n"
      "  RX-packets: {2:<10} RX-missed: {3:<10} RX-bytes:  {4}\n"
      "  RX-errors: {5}\n"
      "  RX-nombuf:  {6:<10}\n"
      "  TX-packets: {7:<10} TX-errors: {8:<10} TX-bytes:  {9}\n"
      "\n  Throughput (since last show)\n"
      "  Rx-pps: {10:>12}          Rx-bps: {11:>12}\n"
      "  Tx-pps: {12:>12}          Tx-bps: {13:>12}\n"
      "  {0}############################{0}\n",
      kBorder, port, stats.rx_packets, stats.rx_missed, stats.rx_bytes, stats.rx_errors,
      stats.rx_nombuf, stats.tx_packets, stats.tx_errors, stats.tx_bytes, rates.rx_pps,
      rates.rx_bps, rates.tx_pps, rates.tx_bps);
}

std::string port_info_report(const PortInfo& info) {
  constexpr std::string_view kBorder = "*********************";
  return fmt::format(
      "\n{0} Infos for port {1:<2} {0}\n"
      "MAC address: {2}\n"
      "Device name: {3}\n"
      "Driver name: {4}\n"
      "Connect to socket: {5}\n"
      "memory allocation on the socket: {5}\n"
      "Link status: {6}\n"
      "Link speed: {7}\n"
      "Link duplex: {8}\n"
      "MTU: {9}\n"
      "Promiscuous mode: {10}\n"
      "Current number of RX queues: {11}\n"
      "Max possible RX queues: {12}\n"
      "Current number of RXDs per queue: {13}\n"
      "Current number of TX queues: {14}\n"
      "Max possible TX queues: {15}\n"
      "Current number of TXDs per queue: {16}\n"
      "Rings: {17}\n",
      kBorder, info.port, info.mac_address, info.device_name, info.driver_name, info.socket,
      link_status(info), link_speed(info.link_speed_mbps),
      info.full_duplex ? "full-duplex" : "half-duplex", info.mtu,
      info.promiscuous ? "enabled" : "disabled", info.rx_queues, info.max_rx_queues,
      info.rx_descriptors, info.tx_queues, info.max_tx_queues, info.tx_descriptors, info.rings);
}

std::string port_summary_header(std::size_t ports) {
  return fmt::format(
      "Number of available ports: {}\n"
      "{:<4} {:<17} {:<12} {:<14} {:<8} {}\n",
      ports, "Port", "MAC Address", "Name", "Driver", "Status", "Link");
}

std::string port_summary_line(const PortInfo& info) {
  return fmt::format("{:<4} {} {:<12} {:<14} {:<8} {}\n", info.port, info.mac_address,
                     info.device_name, info.driver_name, link_status(info),
                     link_speed(info.link_speed_mbps));
}

}  // namespace ringside::cli
