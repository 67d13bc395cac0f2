// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The GPU data path: stream q of a port joins its receive queue q with send queue q of the peer
// port, and a block of a persistent kernel, or of several, on the receiving port's GPU serves it.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/dpdk/eth_port.hpp"
#include "lib/gpu/doorbell_proxy.hpp"
#include "lib/runtime/datapath.hpp"
#include "lib/runtime/gpu_home.hpp"
#include "lib/runtime/gpu_placement.hpp"
#include "lib/runtime/gpu_port.hpp"
#include "lib/runtime/gpu_stream.hpp"
#include "lib/runtime/queue_watch.hpp"
#include "lib/runtime/stream_recovery.hpp"
#include "lib/runtime/stream_tracer.hpp"

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
  /// What a kernel has handed on is finished before the kernels behind it are told to end, so that
  /// no packet is lost: each in its turn.
  void stop() override;
  bool running() const override { return !kernels_.empty(); }
  void port_started(std::uint16_t port) override { find(port).steer(); }
  void port_stopping(std::uint16_t port) override { find(port).queues.unsteer(); }
  PortStats port_stats(std::uint16_t port) override;
  std::vector<StreamStats> stream_stats() override;
  void clear_stream_stats() override;
  std::vector<std::string> take_events() override;
  void save_trace() override;
  std::string take_latency_report() override { return std::exchange(latency_report_, {}); }
  void change_flows(std::uint16_t port, const PortFlows& flows) override;
  std::vector<FlowHits> flow_counts(std::uint16_t port) override {
    return find(port).queues.flow_counts();
  }
  GpuDevice& gpu_of_stream(std::size_t stream) override { return homes_[gpu_index(stream)].gpu; }
  std::string describe(std::uint16_t port) const override;
  std::uint16_t max_queues(std::uint16_t port) const override;
  std::uint64_t tx_offloads(std::uint16_t port, std::uint64_t of_pmd) const override;

 private:
  struct Port {
    Port(const EthPort& port, const Nic& nic, std::size_t position,
         const std::vector<GpuHome>& homes, const GpuPlacement& placement, DoorbellProxy& proxy,
         const RuntimeConfig& config);
    std::uint16_t id;
    MacAddress mac;
    std::uint32_t max_queues;
    bool inserts_vlan;
    PortFlows flows;
    GpuPort queues;
    void steer() { queues.steer(flows); }
    void renew(std::uint16_t queue) { queues.renew_rx(queue, flows); }
  };
  Port& find(std::uint16_t port);
  std::size_t gpu_index(std::size_t stream) const;
  /// An error stopped it, seen by its block or not, or sends have not ended in time.
  bool needs_recovery(const GpuStream& stream);
  void recover(GpuStream& stream);
  /// No block runs any more: counts what it left unsent.
  void end_run();
  /// A kernel that runs, and which block of which stream is each of its own.
  struct Launched {
    std::unique_ptr<PersistentKernel> kernel;
    std::vector<std::pair<std::size_t, std::size_t>> blocks;
    std::uint64_t stop_ms;  ///< what it may take to end
  };
  /// One that died on the GPU, which says nothing by its streams' words; nullptr: none has.
  PersistentKernel* dead_kernel() const;
  std::string take_fault();
  void recover_running(std::vector<std::string>& events);
  void look_in_time(std::vector<std::string>& events);
  void read_counters();
  /// Which kernel runs a mode, and ProgramArgs::own of each stream's block: where runs are traced,
  /// the one that traces.
  ProgramLaunch launch_of(const ForwardMode& mode);
  /// Throws usage_error where queues cannot serve the mode.
  std::string kernel_of(const ForwardMode& mode) const;
  void read_clocks();
  void launch(const std::vector<ProgramLaunch>& launches, std::uint64_t first_burst);
  /// Counts the blocks of each stream, makes it ready for them, and makes the ways between them.
  void prepare_streams(const std::vector<ProgramLaunch>& launches);
  HandOver make_way(std::size_t stream, std::uint32_t depth);
  StreamArgs arguments(std::size_t stream, std::size_t block, std::uint64_t first_burst);

  const RuntimeConfig& config_;
  const std::vector<GpuHome> homes_;
  const GpuPlacement placement_;
  DoorbellProxy proxy_;
  mutable std::mutex counter_mutex_;  ///< Q counters: their queries turn 32 bits into 64
  GpuMemory words_;
  std::deque<Port> ports_;
  std::vector<GpuStream> streams_;
  std::vector<QueueWatch> watches_;         ///< of streams_
  std::vector<StreamRecovery> recoveries_;  ///< of streams_, while kernels run
  std::deque<StreamTracer> tracers_;        ///< of streams_, where runs are traced
  std::vector<GpuMemory> rings_;            ///< of ways_
  std::vector<std::vector<HandOver>>
      ways_;                       ///< [stream][block - 1] to the block from the one before
  std::vector<Launched> kernels_;  ///< in the order that packets pass through them
  std::optional<Error> fault_;     ///< what one of kernels_ died of, once known
  std::uint64_t looked_ns_ = 0;    ///< when counters and queues were looked at last
  bool traces_ = false;            ///< the run does, or its trace has yet to be saved
  std::string latency_report_;
};

}  // namespace ringside
