// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/nic/config.hpp"

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "lib/base/error.hpp"

namespace softcx {
namespace {

using nlohmann::json;
using ringside::Error;

/// null and an absent key both mean "none".
std::string optional_string(const json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? std::string() : found->get<std::string>();
}

WireConfig parse_wire(const json& object) {
  WireConfig wire;
  const auto kind = object.at("kind").get<std::string>();
  if (kind == "loop") {
    wire.kind = WireKind::kLoop;
  } else if (kind == "null") {
    wire.kind = WireKind::kNull;
  } else if (kind == "cross") {
    wire.kind = WireKind::kCross;
    wire.peer = object.at("peer").get<std::uint32_t>();
  } else if (kind == "netdev") {
    wire.kind = WireKind::kNetdev;
    wire.interface_name = object.at("ifname").get<std::string>();
    wire.socket = object.at("fd").get<int>();
  } else if (kind == "pcap") {
    wire.kind = WireKind::kPcap;
    wire.capture_in = optional_string(object, "in");
    wire.capture_out = optional_string(object, "out");
    wire.loops = object.value("loop", std::uint64_t{1});
    wire.pad = object.value("pad", false);
  } else {
    throw Error("unknown kind of wire '" + kind + "'", "use loop, cross, pcap, netdev or null");
  }
  return wire;
}

PortConfig parse_port(const json& object) {
  PortConfig port;
  port.index = object.at("index").get<std::uint32_t>();
  port.bdf = object.at("bdf").get<std::string>();
  port.ibdev = object.at("ibdev").get<std::string>();
  port.uverbs = object.at("uverbs").get<std::string>();
  port.netdev = object.at("netdev").get<std::string>();
  port.wire_end = optional_string(object, "wire_end");
  port.wire = parse_wire(object.at("wire"));
  return port;
}

Config parse_config(const json& object) {
  Config config;
  config.root = object.at("root").get<std::string>();
  config.report_fd = object.value("report_fd", -1);
  config.engines = object.value("engines", std::size_t{0});
  config.clock_khz = object.value("clock_khz", config.clock_khz);
  config.real_time = object.value("real_time", false);
  config.line_bits_per_s = object.value("line_bits_per_s", std::uint64_t{0});
  config.sanitize = object.value("sanitize", false);
  for (const json& port : object.at("ports")) config.ports.push_back(parse_port(port));
  config.faults = parse_faults(object.value("faults", std::vector<std::string>{}),
                               static_cast<std::uint32_t>(config.ports.size()));
  return config;
}

}  // namespace

Config load_config() {
  const char* path = std::getenv("SOFTCX_CONFIG");
  if (path == nullptr) {
    throw Error("SOFTCX_CONFIG is not set", "start the program with 'softcx run -- PROGRAM'");
  }
  std::ifstream file(path);
  if (!file) {
    throw Error(fmt::format("cannot read SOFTCX_CONFIG={}", path),
                "start the program with 'softcx run -- PROGRAM'");
  }
  try {
    return parse_config(json::parse(file));
  } catch (const json::exception& error) {
    throw Error(fmt::format("SOFTCX_CONFIG={} is damaged: {}", path, error.what()), "");
  }
}

}  // namespace softcx
