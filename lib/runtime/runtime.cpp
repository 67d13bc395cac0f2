// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/runtime.hpp"

#include <map>
#include <mutex>

#include "lib/base/error.hpp"
#include "lib/runtime/config_check.hpp"
#include "lib/runtime/run_end.hpp"
#include "lib/runtime/system.hpp"

namespace ringside {
namespace {

class RuntimeImpl final : public Runtime {
 public:
  explicit RuntimeImpl(RuntimeConfig config) : config_(std::move(config)) {
    if (config_.strides && config_.mbuf_size == 0) {
      config_.mbuf_size = mbuf_size_for(*config_.strides);
    }
    check_config(config_);
    system_ = std::make_unique<System>(config_);
  }
  ~RuntimeImpl() override {
    try {
      close([](const char*) {});
    } catch (const Error&) {
      // Whoever wants to know calls close().
    }
  }

  const RuntimeConfig& config() const override { return config_; }

  std::vector<std::uint16_t> ports() const override {
    std::vector<std::uint16_t> ids;
    for (const auto& port : system_->ports()) ids.push_back(port->id());
    return ids;
  }

  PortInfo port_info(std::uint16_t port) override {
    const EthPortInfo info = EthPort::info(system_->port(port).id());
    return PortInfo{.port = port,
                    .device_name = info.device_name,
                    .driver_name = info.driver_name,
                    .mac_address = info.mac_address,
                    .socket = info.socket,
                    .link_up = info.link_up,
                    .link_speed_mbps = info.link_speed_mbps,
                    .full_duplex = info.full_duplex,
                    .mtu = info.mtu,
                    .promiscuous = info.promiscuous,
                    .rx_queues = config_.rx_queues,
                    .tx_queues = config_.tx_queues,
                    .max_rx_queues = system_->datapath().max_queues(port),
                    .max_tx_queues = system_->datapath().max_queues(port),
                    .rx_descriptors = config_.rx_descriptors,
                    .tx_descriptors = config_.tx_descriptors,
                    .tx_offloads = system_->datapath().tx_offloads(port, info.tx_offloads),
                    .rings = system_->datapath().describe(port)};
  }

  PortStats port_stats(std::uint16_t port) override {
    const std::lock_guard lock(base_mutex_);
    return joined_stats(port) - base_[port];
  }

  /// By offsets: the kernels' words and the Q counter are not ours to write.
  void clear_port_stats(std::uint16_t port) override {
    const std::lock_guard lock(base_mutex_);
    base_[port] = joined_stats(port);
  }

  void set_forward_mode(const std::string& mode) override {
    config_.forward_mode = find_forward_mode(mode, config_.datapath).name;
  }
  std::vector<std::string> forward_modes() const override {
    return forward_mode_names(config_.datapath);
  }

  bool forwarding() const override { return system_ != nullptr && system_->datapath().running(); }

  void start_forwarding(std::uint32_t tx_first) override {
    if (forwarding()) throw usage_error("packet forwarding already started", "stop it first");
    for (const auto& port : system_->ports()) {
      if (!port->started()) {
        throw usage_error(fmt::format("port {} is stopped", port->id()),
                          fmt::format("port start {}", port->id()));
      }
    }
    const ForwardMode& mode = find_forward_mode(config_.forward_mode, config_.datapath);
    check_tx_first(config_, mode, tx_first);
    system_->datapath().start(mode, tx_first);
  }

  void add_kernel(const UserKernel& kernel) override {
    if (forwarding()) throw usage_error("packet forwarding already started", "stop it first");
    system_->add_kernel(kernel);
  }
  void start_programs(const std::vector<ProgramLaunch>& launches) override {
    if (forwarding()) throw usage_error("packet forwarding already started", "stop it first");
    system_->datapath().start_programs(launches);
  }
  GpuDevice& gpu_of_stream(std::size_t stream) override {
    return system_->datapath().gpu_of_stream(stream);
  }
  void change_flows(std::uint16_t port, const PortFlows& flows) override {
    system_->datapath().change_flows(port, flows);
  }
  std::vector<FlowHits> flow_counts(std::uint16_t port) override {
    return system_->datapath().flow_counts(port);
  }

  void stop_forwarding() override {
    if (const RunEnd end = end_run(system_->datapath()); end.failure) throw Error(*end.failure);
  }

  std::vector<StreamStats> stream_stats() override { return system_->datapath().stream_stats(); }
  void clear_stream_stats() override { system_->datapath().clear_stream_stats(); }
  std::string take_latency_report() override { return system_->datapath().take_latency_report(); }
  std::vector<std::string> take_events() override { return system_->take_events(); }

  bool send_frame(std::uint16_t port, std::span<const std::uint8_t> frame) override {
    return system_->send_frame(port, frame);
  }

  void start_port(std::uint16_t port) override { system_->start_port(port); }

  void stop_port(std::uint16_t port) override {
    if (forwarding()) {
      throw usage_error(fmt::format("port {} is forwarding", port), "stop forwarding first");
    }
    system_->stop_port(port);
  }

  void close(const CloseStep& tell) override {
    if (system_ == nullptr) return;
    tell("stop forwarding");
    const RunEnd end = end_run(system_->datapath());
    if (!end.stopped) {
      // A block that does not stop may still use all of it: leave it to the end of the process.
      static_cast<void>(system_.release());
      throw Error(end.failure.value());
    }
    const std::string fault = system_->shut_down(tell);
    tell("clean EAL up");
    system_.reset();
    if (!fault.empty()) {
      throw Error(end.failure ? fmt::format("{}; {}", end.failure->what(), fault) : fault,
                  "a kernel or stage of your own may keep packets: let it release them");
    }
    if (end.failure) throw Error(*end.failure);
  }

 private:
  PortStats joined_stats(std::uint16_t port) {
    const rte_eth_stats pmd = system_->port(port).stats();
    const PortStats of_pmd{.rx_packets = pmd.ipackets,
                           .rx_bytes = pmd.ibytes,
                           .rx_missed = pmd.imissed,
                           .rx_errors = pmd.ierrors,
                           .rx_nombuf = pmd.rx_nombuf,
                           .tx_packets = pmd.opackets,
                           .tx_bytes = pmd.obytes,
                           .tx_errors = pmd.oerrors};
    return of_pmd + system_->datapath().port_stats(port);
  }

  RuntimeConfig config_;
  std::unique_ptr<System> system_;
  std::mutex base_mutex_;
  std::map<std::uint16_t, PortStats> base_;
};

}  // namespace

std::unique_ptr<Runtime> Runtime::create(RuntimeConfig config) {
  return std::make_unique<RuntimeImpl>(std::move(config));
}

}  // namespace ringside
