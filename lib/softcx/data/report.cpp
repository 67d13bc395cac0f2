// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/data/report.hpp"

#include <nlohmann/json.hpp>

#include "lib/base/write_whole.hpp"

namespace softcx {
namespace {

using nlohmann::json;

std::uint64_t value(const PortCounters::Counter& counter) {
  return counter.load(std::memory_order_relaxed);
}

json port_json(const PortReport& report) {
  const PortCounters& counters = report.device->counters;
  const WireReport& wire = report.wire;
  json port = {
      {"index", report.device->index},
      {"rx_wire_packets", value(counters.rx_wire_packets) + wire.lost_packets +
                              wire.truncated_packets + wire.waiting_packets + wire.stalled_in +
                              wire.link_down_in + wire.foreign_packets},
      {"rx_wire_bytes", value(counters.rx_wire_bytes)},
      {"rx_delivered", value(counters.rx_delivered)},
      {"rx_delivered_bytes", value(counters.rx_delivered_bytes)},
      {"rx_dropped",
       {{"wire_full", wire.lost_packets},
        {"truncated", wire.truncated_packets},
        {"left_at_stop", wire.waiting_packets},
        {"out_of_buffer", value(counters.rx_out_of_buffer)},
        {"rx_oversize", value(counters.rx_oversize)},
        {"rx_runt", value(counters.rx_runt)},
        {"rule_drop", value(counters.rx_rule_drop)},
        {"no_rule", value(counters.rx_no_rule)},
        {"rq_not_ready", value(counters.rx_queue_not_ready)},
        {"length_error", value(counters.rx_length_error)},
        {"protection_error", value(counters.rx_protection_error)},
        {"cq_overrun", value(counters.rx_cq_overrun)},
        {"injected_error", value(counters.rx_injected)},
        {"wire_stalled", wire.stalled_in},
        {"link_down", wire.link_down_in},
        {"not_for_vf", wire.foreign_packets}}},
      {"tx_packets",
       value(counters.tx_packets) - wire.failed_packets - wire.unsent_packets - wire.link_down_out},
      {"tx_bytes",
       value(counters.tx_bytes) - wire.failed_bytes - wire.unsent_bytes - wire.link_down_bytes_out},
      {"tx_dropped",
       {{"tx_oversize", value(counters.tx_oversize)},
        {"tx_runt", value(counters.tx_runt)},
        {"wire_full", value(counters.tx_wire_full)},
        {"wire_error", wire.failed_packets},
        {"link_down", wire.link_down_out},
        {"unsent_at_stop", wire.unsent_packets},
        {"failed_wqe", value(counters.tx_failed_wqes)},
        {"flushed_wqe", value(counters.tx_flushed_wqes)}}},
      {"tx_queue_errors", value(counters.tx_queue_errors)},
      {"cut_records", wire.cut_records},
  };
  if (wire.replay) port["replay"] = {{"total", wire.replay->total}, {"left", wire.replay->left}};
  return port;
}

/// Apart from `violations`, which is for people: `softcx run --sanitize` judges by it.
json broken_json() {
  json broken = json::array();
  for (const Violation& violation : all_violations()) {
    if (violation.rule == nullptr) continue;
    broken.push_back({{"rule", violation.rule->name},
                      {"object", violation.object},
                      {"times", violation.times},
                      {"first", violation.text}});
  }
  return broken;
}

}  // namespace

std::string report_json(std::span<const PortReport> ports) {
  json report = {{"ports", json::array()}, {"violations", violations()}, {"broken", broken_json()}};
  for (const PortReport& port : ports) report["ports"].push_back(port_json(port));
  return report.dump();
}

// A reader that has gone needs no report.
void write_opened(int fd) {
  ringside::write_whole(fd, json{{"opened", true}}.dump() + '\n');
}

void write_report(int fd, std::span<const PortReport> ports) {
  ringside::write_whole(fd, report_json(ports) + '\n');
}

}  // namespace softcx
