// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A Runtime without EAL: two cross-wired ports by default, with counters that a test sets.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/runtime/runtime.hpp"

namespace ringside {

class FakeRuntime : public Runtime {
 public:
  explicit FakeRuntime(RuntimeConfig config = {}, std::uint16_t port_count = 2)
      : config_(std::move(config)) {
    set_forward_mode(config_.forward_mode);
    for (std::uint16_t port = 0; port < port_count; ++port) ports_.push_back(port);
    make_streams();
  }

  const RuntimeConfig& config() const override { return config_; }
  std::vector<std::uint16_t> ports() const override { return ports_; }

  PortInfo port_info(std::uint16_t port) override {
    return {.port = port,
            .device_name = "0000:ca:00." + std::to_string(port),
            .driver_name = "mlx5_pci",
            .mac_address = "02:00:00:CA:00:0" + std::to_string(port),
            .socket = 0,
            .link_up = link_up,
            .link_speed_mbps = link_speed_mbps,
            .full_duplex = true,
            .mtu = 1500,
            .promiscuous = config_.promiscuous,
            .rx_queues = config_.rx_queues,
            .tx_queues = config_.tx_queues,
            .max_rx_queues = 1024,
            .max_tx_queues = 1024,
            .rx_descriptors = config_.rx_descriptors,
            .tx_descriptors = config_.tx_descriptors,
            .rings = "driven by a test"};
  }
  PortStats port_stats(std::uint16_t port) override { return stats[port]; }
  void clear_port_stats(std::uint16_t port) override { stats[port] = {}; }

  void set_forward_mode(const std::string& mode) override {
    const auto modes = forward_modes();
    if (std::find(modes.begin(), modes.end(), mode) == modes.end()) {
      throw usage_error("unknown forward mode " + mode, "a test has io and macswap");
    }
    mode_set = mode;
  }
  std::vector<std::string> forward_modes() const override {
    return {"io", "mac", "macswap", "rxonly", "txonly"};
  }
  bool forwarding() const override { return forwarding_; }
  void start_forwarding(std::uint32_t tx_first) override {
    if (!fail_start.empty()) throw Error(fail_start, "start again");
    forwarding_ = true;
    bursts_first = tx_first;
  }
  void add_kernel(const UserKernel&) override {}
  void start_programs(const std::vector<ProgramLaunch>&) override {
    throw usage_error("a test has no programs", "start_forwarding");
  }
  GpuDevice& gpu_of_stream(std::size_t) override { throw usage_error("a test has no GPU", ""); }
  void change_flows(std::uint16_t, const PortFlows&) override {}
  std::vector<FlowHits> flow_counts(std::uint16_t) override { return {}; }
  void stop_forwarding() override {
    forwarding_ = false;
    if (!fail_stop.empty()) throw Error(fail_stop, "look at it");
  }
  std::vector<StreamStats> stream_stats() override { return streams; }
  void clear_stream_stats() override { make_streams(); }
  std::vector<std::string> take_events() override { return std::exchange(events, {}); }

  bool send_frame(std::uint16_t, std::span<const std::uint8_t>) override { return false; }
  void start_port(std::uint16_t port) override { port_log.push_back({port, true}); }
  void stop_port(std::uint16_t port) override { port_log.push_back({port, false}); }
  void close(const CloseStep&) override { closed = true; }

  std::map<std::uint16_t, PortStats> stats;
  std::vector<StreamStats> streams;
  std::vector<std::string> events;
  std::vector<std::pair<std::uint16_t, bool>> port_log;  ///< port, started
  std::string fail_start, fail_stop, mode_set;
  std::uint32_t bursts_first = 0;
  std::uint32_t link_speed_mbps = 100'000;
  bool link_up = true;
  bool closed = false;

 private:
  void make_streams() {
    streams.clear();
    for (std::uint16_t queue = 0; queue < config_.rx_queues; ++queue) {
      for (const std::uint16_t port : ports_) {
        const bool paired = ports_.size() % 2 == 0;
        streams.push_back({.rx_port = port,
                           .rx_queue = queue,
                           .tx_port = static_cast<std::uint16_t>(paired ? port ^ 1 : port),
                           .tx_queue = queue});
      }
    }
  }

  RuntimeConfig config_;
  std::vector<std::uint16_t> ports_;
  bool forwarding_ = false;
};

}  // namespace ringside
