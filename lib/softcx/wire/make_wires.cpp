// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/wire/make_wires.hpp"

#include "lib/base/error.hpp"
#include "lib/softcx/wire/direct_wire.hpp"
#include "lib/softcx/wire/disturbed_wire.hpp"
#include "lib/softcx/wire/netdev_wire.hpp"
#include "lib/softcx/wire/pcap_wire.hpp"

namespace softcx {
namespace {

std::size_t check_peer(const Config& config, std::size_t index) {
  const std::uint32_t peer = config.ports[index].wire.peer;
  if (peer >= config.ports.size() || peer == index ||
      config.ports[peer].wire.kind != WireKind::kCross || config.ports[peer].wire.peer != index) {
    throw ringside::usage_error(fmt::format("port {} is cross-wired to port {}", index, peer),
                                "cross-wire two different ports with each other, both of them");
  }
  return peer;
}

std::unique_ptr<Wire> make_wire(const Config& config, std::size_t index) {
  const WireConfig& wire = config.ports[index].wire;
  switch (wire.kind) {
    case WireKind::kLoop:
      return std::make_unique<DirectWire>(index);
    case WireKind::kCross:
      return std::make_unique<DirectWire>(check_peer(config, index));
    case WireKind::kPcap:
      return std::make_unique<PcapWire>(wire);
    case WireKind::kNetdev:
      return std::make_unique<NetdevWire>(wire.interface_name, wire.socket);
    case WireKind::kNull:
      break;
  }
  return std::make_unique<NullWire>();
}

}  // namespace

std::vector<std::unique_ptr<Wire>> make_wires(const Config& config) {
  std::vector<std::unique_ptr<Wire>> wires;
  for (std::size_t index = 0; index < config.ports.size(); ++index) {
    const PortConfig& port = config.ports[index];
    wires.push_back(make_wire(config, index));
    if (DisturbedWire::wanted(config.faults, port.index)) {
      wires.back() = std::make_unique<DisturbedWire>(std::move(wires.back()),
                                                     NetdevLink(port.netdev, port.wire_end),
                                                     config.faults, port.index);
    }
  }
  return wires;
}

}  // namespace softcx
