// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What moves packets between the ports: persistent kernels on exported rings, or lcores on the
// PMD's queues.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/runtime/forward_mode.hpp"
#include "lib/runtime/runtime.hpp"

namespace ringside {

class DatapathEngine {
 public:
  virtual ~DatapathEngine() = default;

  /// Streams that an error stopped are recovered first. Throws Error.
  virtual void start(const ForwardMode& mode, std::uint32_t tx_first) = 0;
  /// Bounded; throws Error of what does not stop, which is still running() then, or of what ended
  /// by a fault.
  virtual void stop() = 0;
  virtual bool running() const = 0;

  /// The ethdev port has been started, or is about to be stopped.
  virtual void port_started(std::uint16_t port) = 0;
  virtual void port_stopping(std::uint16_t port) = 0;

  /// What the PMD's own statistics of the port do not have. Callable from any thread.
  virtual PortStats port_stats(std::uint16_t port) = 0;
  /// Since the last start, or since cleared.
  virtual std::vector<StreamStats> stream_stats() = 0;
  virtual void clear_stream_stats() = 0;
  virtual std::vector<std::string> take_events() = 0;
  /// Writes what a traced run has left, once it was stopped. Throws Error; all is still there then
  /// for another try.
  virtual void save_trace() {}
  virtual std::string take_latency_report() { return ""; }

  /// See Runtime; the CPU's data path has none of these and throws usage_error.
  virtual void start_programs(const std::vector<ProgramLaunch>& launches);
  virtual void change_flows(std::uint16_t port, const PortFlows& flows);
  virtual std::vector<FlowHits> flow_counts(std::uint16_t port);

  /// Whose kernel serves a stream. The GPU data path only.
  virtual GpuDevice& gpu_of_stream(std::size_t stream);
  /// What drives a port's queues and where their rings lie, in words.
  virtual std::string describe(std::uint16_t port) const = 0;
  virtual std::uint16_t max_queues(std::uint16_t port) const = 0;
  /// What the port's send queues do to packets, RTE_ETH_TX_OFFLOAD_*. `of_pmd`: what its own do.
  virtual std::uint64_t tx_offloads(std::uint16_t, std::uint64_t of_pmd) const { return of_pmd; }
};

/// The port that packets of ports[i] leave by: pairs (0,1), (2,3), ...; a last odd one is its own.
std::size_t peer_of(std::size_t i, std::size_t ports) noexcept;

PortStats operator+(const PortStats& a, const PortStats& b) noexcept;
PortStats operator-(const PortStats& a, const PortStats& b) noexcept;

}  // namespace ringside
