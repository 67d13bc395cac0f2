// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/launch/config_file.hpp"

#include <nlohmann/json.hpp>

#include "lib/base/error.hpp"
#include "lib/softcx/launch/private_view.hpp"

namespace softcx {
namespace {

using nlohmann::json;

json path_or_null(const std::optional<std::string>& path) {
  return path ? json(*path) : json(nullptr);
}

json wire_json(const Port& port) {
  json wire{{"kind", kind_name(port.wire)}};
  if (const auto* cross = std::get_if<CrossSpec>(&port.wire)) {
    wire["peer"] = cross->peer;
  } else if (const auto* pcap = std::get_if<PcapSpec>(&port.wire)) {
    wire["in"] = path_or_null(pcap->in);
    wire["out"] = path_or_null(pcap->out);
    wire["loop"] = pcap->loop;
    wire["pad"] = pcap->pad;
  } else if (const auto* netdev = std::get_if<NetdevSpec>(&port.wire)) {
    wire["ifname"] = netdev->ifname;
    wire["fd"] = port.packet_socket.get();
  }
  return wire;
}

}  // namespace

std::string config_text(const std::vector<Port>& ports, const LaunchRequest& request, int report_fd,
                        std::uint64_t line_bits_per_s, const ClockOption& clock) {
  json config{{"root", kRoot},
              {"report_fd", report_fd},
              {"engines", request.engines.value_or(0)},  // 0: as many as the library thinks best
              {"faults", request.faults},
              {"sanitize", request.sanitize},
              {"line_bits_per_s", line_bits_per_s},
              {"clock_khz", clock.khz},
              {"real_time", clock.real_time}};
  for (const auto& port : ports) {
    config["ports"].push_back({{"index", port.index},
                               {"bdf", port.bdf},
                               {"ibdev", port.ibdev},
                               {"uverbs", port.uverbs},
                               {"netdev", port.netdev},
                               {"wire_end", port.wire_end},
                               {"wire", wire_json(port)}});
  }
  try {
    return config.dump(2) + "\n";
  } catch (const json::type_error&) {
    throw ringside::usage_error("a file name is not UTF-8", "rename it");
  }
}

}  // namespace softcx
