// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/gpu_placement.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.hpp"
#include "lib/runtime/datapath.hpp"

namespace ringside {
namespace {

std::vector<StreamQueues> streams_of(const RuntimeConfig& config, std::size_t ports) {
  if (!config.streams.empty()) return config.streams;
  std::vector<StreamQueues> streams;
  for (std::size_t i = 0; i < ports; ++i) {
    const auto peer = static_cast<std::uint16_t>(peer_of(i, ports));
    for (std::uint16_t q = 0; q < config.rx_queues; ++q) {
      streams.push_back({static_cast<std::uint16_t>(i), q, peer, q});
    }
  }
  return streams;
}

}  // namespace

GpuPlacement::GpuPlacement(const RuntimeConfig& config, std::size_t ports)
    : queues_a_port_(config.rx_queues), streams_(streams_of(config, ports)) {
  if (config.gpu_ids.size() > ports) {
    throw usage_error(fmt::format("--gpu-id {} for {} port{}", fmt::join(config.gpu_ids, ","),
                                  ports, ports == 1 ? "" : "s"),
                      "name one GPU for each port at most");
  }
  for (std::size_t port = 0; port < ports; ++port) {
    const int id = config.gpu_ids[port % config.gpu_ids.size()];
    const auto known = std::ranges::find(ids_, id);
    of_port_.push_back(static_cast<std::size_t>(known - ids_.begin()));
    if (known == ids_.end()) ids_.push_back(id);
  }
  for (const StreamQueues& stream : streams_) {
    of_send_queue_[{stream.tx_port, stream.tx_queue}] = of_port(stream.rx_port);
  }
}

std::size_t GpuPlacement::of_send_queue(std::size_t port, std::uint16_t queue) const {
  const auto found = of_send_queue_.find({port, queue});
  return found != of_send_queue_.end() ? found->second : of_port(port);
}

std::size_t GpuPlacement::ports_on(std::size_t gpu) const {
  std::size_t receive = 0;
  std::size_t send = 0;
  for (std::size_t port = 0; port < of_port_.size(); ++port) {
    if (of_port(port) == gpu) receive += queues_a_port_;
    for (std::uint16_t q = 0; q < queues_a_port_; ++q) {
      if (of_send_queue(port, q) == gpu) ++send;
    }
  }
  return (std::max(receive, send) + queues_a_port_ - 1) / queues_a_port_;
}

}  // namespace ringside
