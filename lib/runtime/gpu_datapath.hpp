// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The GPU data path: stream q of a port joins its receive queue q with send queue q of the peer
// port, and a block of a persistent kernel, or of several, on the receiving port's GPU serves it.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "lib/dpdk/eth_port.hpp"
#include "lib/gpu/doorbell_proxy.hpp"
#include "lib/runtime/datapath.hpp"
#include "lib/runtime/gpu_home.hpp"
#include "lib/runtime/gpu_placement.hpp"
#include "lib/runtime/gpu_stream.hpp"
#include "lib/runtime/launched_kernels.hpp"
#include "lib/runtime/queue_watch.hpp"
#include "lib/runtime/run_tracer.hpp"
#include "lib/runtime/steered_port.hpp"
#include "lib/runtime/stream_arguments.hpp"
#include "lib/runtime/stream_recovery.hpp"

namespace ringside {

class GpuDatapath final : public DatapathEngine {
 public:
  /// `homes`: the GPUs that the configuration names, each once, in the order of
  /// GpuPlacement::ids(). `nics` and `ports` in the same order; all must live longer. Throws Error.
  GpuDatapath(const RuntimeConfig& config, std::vector<GpuHome> homes,
              const std::vector<std::unique_ptr<Nic>>& nics,
              const std::vector<std::unique_ptr<EthPort>>& ports);

  void start(const ForwardMode& mode, std::uint32_t tx_first) override;
  void start_programs(const std::vector<ProgramLaunch>& launches) override;
  void stop() override;
  bool running() const override { return kernels_.running(); }
  void port_started(std::uint16_t port) override { find(port).steer(); }
  void port_stopping(std::uint16_t port) override { find(port).queues.unsteer(); }
  PortStats port_stats(std::uint16_t port) override;
  std::vector<StreamStats> stream_stats() override;
  void clear_stream_stats() override;
  std::vector<std::string> take_events() override;
  void save_trace() override { tracer_.save(running()); }
  std::string take_latency_report() override { return tracer_.take_latency_report(); }
  void change_flows(std::uint16_t port, const PortFlows& flows) override;
  std::vector<FlowHits> flow_counts(std::uint16_t port) override {
    return find(port).queues.flow_counts();
  }
  GpuDevice& gpu_of_stream(std::size_t stream) override { return homes_[gpu_index(stream)].gpu; }
  std::string describe(std::uint16_t port) const override;
  std::uint16_t max_queues(std::uint16_t port) const override {
    return static_cast<std::uint16_t>(find(port).max_queues);
  }
  std::uint64_t tx_offloads(std::uint16_t port, std::uint64_t of_pmd) const override {
    return find(port).tx_offloads(of_pmd);
  }

 private:
  const SteeredPort& find(std::uint16_t port) const {
    return *std::ranges::find(ports_, port, &SteeredPort::id);
  }
  SteeredPort& find(std::uint16_t port) {
    return *std::ranges::find(ports_, port, &SteeredPort::id);
  }
  std::size_t gpu_index(std::size_t stream) const;
  StreamEnds ends_of(std::size_t stream);
  /// No block runs any more: counts what it left unsent.
  void end_run();
  void look_in_time(std::vector<std::string>& events);
  void read_counters();
  /// Throws usage_error where queues cannot serve the mode.
  std::string kernel_of(const ForwardMode& mode) const;
  /// A kernel for each launch and GPU that has blocks of it.
  std::vector<KernelPlan> plan(const std::vector<ProgramLaunch>& launches,
                               std::uint64_t first_burst);
  void launch(const std::vector<ProgramLaunch>& launches, std::uint64_t first_burst);
  /// Counts the blocks of each stream, makes it ready for them, and makes the ways between them.
  void prepare_streams(const std::vector<ProgramLaunch>& launches);

  const RuntimeConfig& config_;
  const std::vector<GpuHome> homes_;
  const GpuPlacement placement_;
  DoorbellProxy proxy_;
  mutable std::mutex counter_mutex_;  ///< Q counters: their queries turn 32 bits into 64
  StreamArguments arguments_;
  RunTracer tracer_;
  std::deque<SteeredPort> ports_;
  std::vector<GpuStream> streams_;
  std::vector<std::uint32_t> recovered_;    ///< of streams_: kRecover*, of its queues that are used
  std::vector<QueueWatch> watches_;         ///< of streams_
  std::vector<StreamRecovery> recoveries_;  ///< of streams_, while kernels run
  LaunchedKernels kernels_;
  std::uint64_t looked_ns_ = 0;  ///< when counters and queues were looked at last
};

}  // namespace ringside
