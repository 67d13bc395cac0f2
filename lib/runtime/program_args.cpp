// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/program_args.hpp"

#include <rte_ether.h>

#include <algorithm>

#include "lib/dpdk/eth_port.hpp"

namespace ringside {
namespace {

/// The address that testpmd takes a port's peer to have: 02:00:00:00:00:PP.
MacAddress peer_mac(std::uint16_t port) {
  return MacAddress{{0x02, 0, 0, 0, 0, static_cast<std::uint8_t>(port)}};
}

}  // namespace

MacAddress mac_of(std::uint16_t port) {
  rte_ether_addr address{};
  rte_ether_unformat_addr(EthPort::info(port).mac_address.c_str(), &address);
  MacAddress mac{};
  std::ranges::copy(address.addr_bytes, mac.bytes);
  return mac;
}

ProgramArgs program_args(const RuntimeConfig& config, std::uint16_t port, const MacAddress& mac) {
  return {.source = mac,
          .destination = peer_mac(port),
          .packet_length = config.own_frame_length,
          .own = nullptr};
}

}  // namespace ringside
