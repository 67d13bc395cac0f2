// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/launch/report.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>

namespace softcx {
namespace {

using nlohmann::json;

std::uint64_t count(const json& object, const char* name) {
  return object.value(name, std::uint64_t{0});
}

struct Drops {
  std::uint64_t total = 0;
  std::string causes;  ///< " (rx_runt 2, no_rule 1)", empty if nothing was dropped
};

Drops sum_drops(const json& port, const char* name) {
  Drops drops;
  const json causes = port.value(name, json::object());
  for (const auto& [cause, value] : causes.items()) {
    const auto packets = value.get<std::uint64_t>();
    if (packets == 0) continue;
    drops.total += packets;
    drops.causes += fmt::format("{}{} {}", drops.causes.empty() ? " (" : ", ", cause, packets);
  }
  if (drops.total != 0) drops.causes += ')';
  return drops;
}

std::string port_lines(const json& report, const std::vector<Port>& ports) {
  const auto index = report.at("index").get<std::size_t>();
  const Port& port = ports.at(index);
  const Drops rx = sum_drops(report, "rx_dropped");
  const Drops tx = sum_drops(report, "tx_dropped");
  const auto received = count(report, "rx_wire_packets");
  const auto delivered = count(report, "rx_delivered");
  std::string lines = fmt::format(
      "softcx: port {} ({}, {}): received {} packets ({} bytes) = delivered {} + dropped {}{}\n"
      "softcx: port {}: sent {} packets ({} bytes), dropped {}{}\n",
      index, port.bdf, kind_name(port.wire), received, count(report, "rx_wire_bytes"), delivered,
      rx.total, rx.causes, index, count(report, "tx_packets"), count(report, "tx_bytes"), tx.total,
      tx.causes);
  if (received != delivered + rx.total) {
    lines += fmt::format("softcx: port {}: received packets do not add up: {} against {}\n", index,
                         received, delivered + rx.total);
  }
  const json replay = report.value("replay", json::object());
  if (count(replay, "left") != 0) {
    lines += fmt::format("softcx: port {}: {} of {} records of the capture were not replayed\n",
                         index, count(replay, "left"), count(replay, "total"));
  }
  if (count(report, "tx_queue_errors") != 0) {
    lines += fmt::format("softcx: port {}: {} send queue errors (WQEs are counted as dropped)\n",
                         index, count(report, "tx_queue_errors"));
  }
  if (count(report, "cut_records") != 0) {
    lines += fmt::format("softcx: port {}: {} cut records were sent as captured\n", index,
                         count(report, "cut_records"));
  }
  return lines;
}

std::string process_lines(const json& report, const std::vector<Port>& ports) {
  std::string lines;
  for (const auto& port : report.value("ports", json::array())) lines += port_lines(port, ports);
  for (const auto& violation : report.value("violations", json::array())) {
    lines += fmt::format("softcx: violation: {}\n", violation.get<std::string>());
  }
  return lines;
}

}  // namespace

std::string summarize(const std::string& text, const std::vector<Port>& ports) {
  std::string lines;
  std::istringstream stream(text);
  try {
    for (stream >> std::ws; stream.good(); stream >> std::ws) {
      json report;
      stream >> report;
      lines += process_lines(report, ports);
    }
  } catch (const std::exception& error) {  // JSON or a port that does not exist
    lines += fmt::format("softcx: the report of the ports is damaged: {}\n", error.what());
  }
  return lines;
}

}  // namespace softcx
