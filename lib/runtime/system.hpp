// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Everything that a running system holds, in creation order: destruction undoes it in reverse, and
// that order is not free. Queues go before the buffers that the NIC writes through them, ports
// before their pools, the PMD before the pools that it maps (ExternalMemory::map_for) and before
// the verbs context that it imported, and EAL last.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "lib/dpdk/eal.hpp"
#include "lib/dpdk/eth_port.hpp"
#include "lib/dpdk/mempool.hpp"
#include "lib/gpu/gpu_pool.hpp"
#include "lib/runtime/datapath.hpp"
#include "lib/runtime/gpu_placement.hpp"
#include "lib/runtime/nic.hpp"
#include "lib/runtime/port_watch.hpp"
#include "lib/runtime/runtime.hpp"

namespace ringside {

/// Starts the port and leads traffic to its queues, or leaves it stopped. Throws Error.
void start_steered(EthPort& port, DatapathEngine& datapath);

class System {
 public:
  /// `config` has been checked; what it leaves to the GPU is filled in. Ports are started and
  /// steered. Throws Error.
  explicit System(RuntimeConfig& config);

  DatapathEngine& datapath() noexcept { return *datapath_; }
  const std::vector<std::unique_ptr<EthPort>>& ports() const noexcept { return ports_; }
  /// What the user is to be told of ports and data path, once.
  std::vector<std::string> take_events();
  /// Throws usage_error for an unknown port.
  EthPort& port(std::uint16_t id) const;

  /// As Runtime::add_kernel().
  void add_kernel(const UserKernel& kernel);
  /// As Runtime::send_frame().
  bool send_frame(std::uint16_t id, std::span<const std::uint8_t> frame);

  void start_port(std::uint16_t id);
  void stop_port(std::uint16_t id);
  /// Ends all but EAL, which the destructor does. Returns what was found wrong (buffers missing
  /// from a pool), or an empty text. The data path must not be running.
  std::string shut_down(const CloseStep& tell);

 private:
  void open_gpus(RuntimeConfig& config);
  void check_completion_order(const RuntimeConfig& config, const Nic& nic) const;
  void make_pools(const RuntimeConfig& config);
  void make_ports(const RuntimeConfig& config);

  std::vector<NicArgument> nic_arguments_;
  Eal eal_;
  std::optional<GpuPlacement> placement_;
  std::vector<std::unique_ptr<GpuDevice>> gpus_;  ///< of placement_
  Mempool host_pool_;                 ///< of the PMD's queues, unless they use the GPU's
  std::deque<GpuPool> gpu_pools_;     ///< of gpus_
  std::deque<GpuPool> header_pools_;  ///< likewise, where headers are split from data
  std::vector<std::unique_ptr<Nic>> nics_;
  std::vector<std::unique_ptr<EthPort>> ports_;
  std::unique_ptr<DatapathEngine> datapath_;
  std::optional<PortWatch> watch_;
};

}  // namespace ringside
