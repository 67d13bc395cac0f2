// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/steered_port.hpp"

#include <rte_ethdev.h>

#include "lib/mlx5/capabilities.hpp"
#include "lib/runtime/program_args.hpp"

namespace ringside {
namespace {

PortFlows flows_of(const RuntimeConfig& config, std::size_t position) {
  if (position < config.flows.size()) return config.flows[position];
  PortFlows all_queues;
  for (std::uint16_t q = 0; q < config.rx_queues; ++q) all_queues.unmatched.push_back(q);
  return all_queues;
}

}  // namespace

SteeredPort::SteeredPort(const EthPort& port, const Nic& nic, std::size_t at,
                         const std::vector<GpuHome>& homes, const GpuPlacement& placement,
                         DoorbellProxy& proxy, const RuntimeConfig& config)
    : id(port.id()),
      position(at),
      mac(mac_of(port.id())),
      max_queues(GpuPort::limits(nic).max_queues),
      inserts_vlan(mlx5::Capabilities::query(nic.context()).vlan_insertion),
      flows(flows_of(config, at)),
      queues(nic, at, homes, placement, proxy, config) {}

std::uint64_t SteeredPort::tx_offloads(std::uint64_t of_pmd) const {
  // The PMD offers it always: what the NIC does not insert, its CPU does, which touches no packet
  // of these queues.
  return inserts_vlan ? of_pmd : of_pmd & ~RTE_ETH_TX_OFFLOAD_VLAN_INSERT;
}

}  // namespace ringside
