// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A port of the GPU data path: its queues, and which packets they get.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/dpdk/eth_port.hpp"
#include "lib/runtime/gpu_port.hpp"

namespace ringside {

struct SteeredPort {
  /// As GpuPort's constructor. Throws Error.
  SteeredPort(const EthPort& port, const Nic& nic, std::size_t position,
              const std::vector<GpuHome>& homes, const GpuPlacement& placement,
              DoorbellProxy& proxy, const RuntimeConfig& config);

  void steer() { queues.steer(flows); }
  /// GpuPort::renew_rx()
  void renew(std::uint16_t queue, mlx5::EmptiedBy emptied_by = mlx5::EmptiedBy::kCpu) {
    queues.renew_rx(queue, flows, emptied_by);
  }
  /// DatapathEngine::tx_offloads()
  std::uint64_t tx_offloads(std::uint64_t of_pmd) const;

  std::uint16_t id;
  std::size_t position;  ///< among the data path's ports
  MacAddress mac;
  std::uint32_t max_queues;
  bool inserts_vlan;
  PortFlows flows;  ///< those of the configuration, or to all queues
  GpuPort queues;
};

}  // namespace ringside
