// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/system.hpp"

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "lib/base/error.hpp"
#include "lib/base/log.hpp"
#include "lib/mlx5/capabilities.hpp"
#include "lib/runtime/config_check.hpp"
#include "lib/runtime/cpu_datapath.hpp"
#include "lib/runtime/gpu_datapath.hpp"
#include "lib/runtime/launch_datapath.hpp"

namespace ringside {
namespace {

constexpr std::uint16_t kIdleDescriptors = 64;  // see kIdleMbufs

/// Taken apart before EAL starts, since EAL must not see the NICs.
EalArguments eal_arguments(const RuntimeConfig& config, std::vector<NicArgument>& nics) {
  EalArguments arguments = split_eal_arguments(config.eal_args, list_pci_functions());
  if (arguments.nics.empty()) {
    throw usage_error("no mlx5 NIC",
                      "name one with -a; without a ConnectX, softcx run gives one in software");
  }
  pool_mbufs(config, arguments.nics.size());  // whether what was asked for is enough
  nics = arguments.nics;
  return arguments;
}

std::string pmd_devargs(const RuntimeConfig& config) {
  // With packets in GPU memory the PMD must not copy them into WQEs, as it does from 8 send queues
  // on: the CPU may not be able to read them.
  return is_for_gpu(config.mempool) ? "dv_flow_en=1,txq_inline_max=0,txq_inline_mpw=0"
                                    : "dv_flow_en=1";
}

}  // namespace

/// Where the NIC writes a packet and its CQE by different paths, a resident kernel could be told of
/// a packet that is not there yet. A launch comes after both; exported rings: gpu_ring_memory.cpp.
void System::check_completion_order(const RuntimeConfig& config, const Nic& nic) const {
  if (config.gpu_launch != GpuLaunch::kCommList || config.mempool != MempoolKind::kGpu) return;
  const GpuDevice& gpu = *gpus_.front();
  if (gpu.shared_memory_follows_device_memory()) return;
  if (mlx5::Capabilities::query(nic.context()).completion_follows_data) return;
  throw usage_error(
      fmt::format("{} cannot take packets of {} in its memory for a resident kernel that the CPU "
                  "feeds: what says that a packet has come could overtake it",
                  gpu.info().name, nic.pci_address()),
      "use --mp-alloc=gpu-pinned, or another --gpu-launch");
}

void System::open_gpus(RuntimeConfig& config) {
  placement_.emplace(config, nic_arguments_.size());
  for (const int id : placement_->ids()) {
    gpus_.push_back(GpuDevice::open(id));
    const GpuInfo& first = gpus_.front()->info();
    const GpuInfo& info = gpus_.back()->info();
    log(LogLevel::kInfo, "GPU {}: {} ({}), {} MiB", info.id, info.name, info.driver,
        info.total_memory >> 20);
    if (info.driver == first.driver) continue;
    throw usage_error(fmt::format("GPU {} ({}) and GPU {} ({}) together", first.id, first.driver,
                                  info.id, info.driver),
                      "blocks have the same number of threads: choose GPUs of one kind");
  }
  if (config.datapath != Datapath::kCpu) {
    config.threads_per_block = gpus_.front()->block_threads(config.threads_per_block);
  }
}

System::System(RuntimeConfig& config) : eal_(eal_arguments(config, nic_arguments_).args) {
  if (is_for_gpu(config.mempool)) open_gpus(config);
  for (const NicArgument& argument : nic_arguments_) {
    nics_.push_back(std::make_unique<Nic>(argument, pmd_devargs(config)));
    if (config.datapath == Datapath::kGpu) {
      check_queue_limits(config, GpuPort::limits(*nics_.back()));
    }
    check_completion_order(config, *nics_.back());
  }
  make_pools(config);
  make_ports(config);
  if (config.datapath == Datapath::kGpu) {
    std::vector<GpuHome> homes;
    for (std::size_t g = 0; g < gpus_.size(); ++g) {
      homes.push_back(
          {*gpus_[g], gpu_pools_[g], header_pools_.empty() ? nullptr : &header_pools_[g]});
    }
    datapath_ = std::make_unique<GpuDatapath>(config, std::move(homes), nics_, ports_);
  } else if (config.datapath == Datapath::kLaunch) {
    datapath_ =
        std::make_unique<LaunchDatapath>(config, *gpus_.front(), gpu_pools_.front(), ports_);
  } else {
    datapath_ = std::make_unique<CpuDatapath>(config, ports_);
  }
  for (const auto& port : ports_) start_port(port->id());
  watch_.emplace(nics_, config.promiscuous);
}

std::vector<std::string> System::take_events() {
  std::vector<std::string> events = watch_->take_events();
  std::ranges::move(datapath_->take_events(), std::back_inserter(events));
  return events;
}

namespace {

PacketMemory packet_memory(MempoolKind kind) {
  return kind == MempoolKind::kGpuPinned ? PacketMemory::kPinned : PacketMemory::kDevice;
}

}  // namespace

void System::make_pools(const RuntimeConfig& config) {
  const bool gpu_queues = config.datapath == Datapath::kGpu;
  const std::uint32_t mbufs = pool_mbufs(config, nics_.size());
  const std::uint32_t cache = mbuf_cache(config, nics_.size());
  for (std::size_t g = 0; g < gpus_.size(); ++g) {
    const std::size_t ports = placement_->ports_on(g);
    gpu_pools_.emplace_back(*gpus_[g],
                            MempoolConfig{.name = fmt::format("gpu{}_packets", gpus_[g]->info().id),
                                          .mbufs = pool_mbufs_here(config, ports, nics_.size()),
                                          .mbuf_size = config.mbuf_size,
                                          .cache = cache},
                            packet_memory(config.mempool));
    if (!config.headers) continue;
    header_pools_.emplace_back(
        *gpus_[g],
        MempoolConfig{.name = fmt::format("gpu{}_headers", gpus_[g]->info().id),
                      .mbufs = header_mbufs(config, ports),
                      .mbuf_size = config.headers->mbuf_size},
        packet_memory(config.headers->mempool));
  }
  if (gpu_queues || config.mempool == MempoolKind::kNative) {
    const auto idle = static_cast<std::uint32_t>(kIdleMbufs * nics_.size());
    host_pool_ = Mempool(MempoolConfig{.name = "host_packets",
                                       .mbufs = gpu_queues ? idle : mbufs,
                                       .mbuf_size = idle_mbuf_size(config),
                                       .cache = cache});
  }
}

void System::make_ports(const RuntimeConfig& config) {
  const bool gpu_queues = config.datapath == Datapath::kGpu;
  for (const auto& nic : nics_) {
    GpuPool* const gpu_pool = gpu_pools_.empty() ? nullptr : &gpu_pools_.front();
    if (!gpu_queues && gpu_pool != nullptr) {
      const EthPortInfo info = EthPort::info(nic->port());
      if (const auto refusal = gpu_pool->map_for(info.device)) {
        throw Error(
            fmt::format("port {}: its PMD cannot use GPU memory: {}", nic->port(), *refusal),
            "load nvidia-peermem, or use --datapath=gpu");
      }
    }
    EthPortConfig port{.rx_queues = config.rx_queues,
                       .tx_queues = config.tx_queues,
                       .rx_descriptors = config.rx_descriptors,
                       .tx_descriptors = config.tx_descriptors,
                       .max_packet_length = max_packet_length(config),
                       .promiscuous = config.promiscuous,
                       .isolated = gpu_queues,
                       .pool = gpu_pool != nullptr ? gpu_pool->mempool() : host_pool_.get()};
    if (gpu_queues) {
      port.rx_queues = port.tx_queues = 1;
      port.rx_descriptors = port.tx_descriptors = kIdleDescriptors;
      port.pool = host_pool_.get();
    }
    ports_.push_back(std::make_unique<EthPort>(nic->port(), port));
  }
}

EthPort& System::port(std::uint16_t id) const {
  const auto found = std::ranges::find(ports_, id, [](const auto& port) { return port->id(); });
  if (found == ports_.end()) {
    throw usage_error(fmt::format("there is no port {}", id),
                      fmt::format("ports are 0 to {}", ports_.size() - 1));
  }
  return **found;
}

void System::add_kernel(const UserKernel& kernel) {
  if (gpus_.empty()) throw usage_error("there is no GPU for a kernel", "use a mempool for the GPU");
  for (const auto& gpu : gpus_) gpu->add_kernel(kernel);
}

bool System::send_frame(std::uint16_t id, std::span<const std::uint8_t> frame) {
  rte_mbuf* mbuf = rte_pktmbuf_alloc(host_pool_.get());
  if (mbuf == nullptr) return false;
  char* const data = rte_pktmbuf_append(mbuf, static_cast<std::uint16_t>(frame.size()));
  if (data != nullptr) {
    std::memcpy(data, frame.data(), frame.size());
    if (rte_eth_tx_burst(id, 0, &mbuf, 1) == 1) return true;  // it is the PMD's now
  }
  rte_pktmbuf_free(mbuf);
  return false;
}

void start_steered(EthPort& port, DatapathEngine& datapath) {
  port.start();
  try {
    datapath.port_started(port.id());
  } catch (...) {
    port.stop();  // else it would pass for started, with nothing leading to its queues
    throw;
  }
}

void System::start_port(std::uint16_t id) {
  EthPort& starting = port(id);
  if (starting.started()) return;
  start_steered(starting, *datapath_);
  log(LogLevel::kInfo, "port {}: started, {}", id, datapath_->describe(id));
}

void System::stop_port(std::uint16_t id) {
  EthPort& stopping = port(id);
  if (!stopping.started()) return;
  datapath_->port_stopping(id);
  stopping.stop();
}

/// Each wait has an end, as far as drivers keep their word; where one does not, StopSignal's limit
/// ends the program by the step's name.
///  - Ports, queues, NICs: the firmware's commands, and a callback of the PMD's in EAL's interrupt
///    thread, whose descriptors do not block. softcx answers a command when its engine thread has
///    passed a round (Quiescence::synchronize()).
///  - Buffers, GPUs: CUDA's frees wait for all that runs on a GPU. No kernel of ours does, or it
///    would not have come to this; softcx's copy kernel leaves after kCopyIdleNs, or kCopyLifeNs.
///  - EAL, after this: lcores. They are back, or the data path would not have been stopped.
std::string System::shut_down(const CloseStep& tell) {
  tell("stop the ports");
  for (const auto& port : ports_) stop_port(port->id());
  tell("destroy the data path's queues");
  datapath_.reset();
  tell("close the ports");
  ports_.clear();
  const bool full = std::ranges::all_of(gpu_pools_, &GpuPool::full) &&
                    std::ranges::all_of(header_pools_, &GpuPool::full);
  // In the order of their destructors, each by its name: a driver has been seen to wait here.
  tell("unplug NICs");
  nics_.clear();
  tell("free packet buffers");
  header_pools_.clear();
  gpu_pools_.clear();
  host_pool_ = {};
  tell("give GPUs back");
  gpus_.clear();
  return full ? "" : "a GPU mempool is not full again: buffers were lost";
}

}  // namespace ringside
