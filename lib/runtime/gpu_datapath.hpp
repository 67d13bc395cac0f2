// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The GPU data path: stream q of a port joins its receive queue q with send queue q of the peer
// port, and one block of a persistent kernel serves it.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/dpdk/eth_port.hpp"
#include "lib/runtime/datapath.hpp"
#include "lib/runtime/gpu_port.hpp"
#include "lib/runtime/gpu_stream.hpp"
#include "lib/runtime/queue_watch.hpp"

namespace ringside {

class GpuDatapath final : public DatapathEngine {
 public:
  /// `nics` and `ports` in the same order; all must live longer. Throws Error.
  GpuDatapath(const RuntimeConfig& config, GpuDevice& gpu, GpuPool& pool,
              const std::vector<std::unique_ptr<Nic>>& nics,
              const std::vector<std::unique_ptr<EthPort>>& ports);

  void start(const ForwardMode& mode, std::uint32_t tx_first) override;
  /// Any kernel; own[i] is ProgramArgs::own of stream i.
  void start_program(const std::string& kernel, const std::vector<const void*>& own) override;
  void stop() override;
  bool running() const override { return kernel_ != nullptr; }
  void port_started(std::uint16_t port) override { find(port).steer(); }
  void port_stopping(std::uint16_t port) override { find(port).queues.unsteer(); }
  PortStats port_stats(std::uint16_t port) override;
  std::vector<StreamStats> stream_stats() override;
  void clear_stream_stats() override;
  std::vector<std::string> take_events() override;
  void change_flows(std::uint16_t port, const PortFlows& flows) override;
  std::vector<FlowHits> flow_counts(std::uint16_t port) override {
    return find(port).queues.flow_counts();
  }
  std::string describe() const override;
  std::uint16_t max_queues(std::uint16_t port) const override;

 private:
  struct Port {
    Port(const EthPort& port, const Nic& nic, GpuDevice& gpu, GpuPool& pool,
         const RuntimeConfig& config);
    std::uint16_t id;
    MacAddress mac;
    std::uint32_t max_queues;
    PortFlows flows;
    GpuPort queues;
    void steer() { queues.steer(flows); }
  };
  Port& find(std::uint16_t port);
  /// An error stopped it, seen by its block or not, or sends have not ended in time.
  bool needs_recovery(const GpuStream& stream);
  void recover(GpuStream& stream);
  /// No block runs any more: counts what it left unsent.
  void end_run();
  /// A kernel that died on the GPU says nothing by its streams' words.
  bool kernel_died() const;
  std::string take_fault();
  void look_in_time(std::vector<std::string>& events);
  void read_counters();
  void launch(const std::string& kernel, std::uint32_t tx_first,
              const std::vector<const void*>& own);
  StreamArgs arguments(const GpuStream& stream, std::size_t index, std::uint32_t tx_first);

  const RuntimeConfig& config_;
  GpuDevice& gpu_;
  mutable std::mutex counter_mutex_;  ///< Q counters: their queries turn 32 bits into 64
  GpuMemory words_;
  std::deque<Port> ports_;
  std::vector<GpuStream> streams_;
  std::vector<QueueWatch> watches_;  ///< of streams_
  std::unique_ptr<PersistentKernel> kernel_;
  std::uint64_t stop_ms_ = 0;    ///< what kernel_ may take to end
  std::optional<Error> fault_;   ///< what kernel_ died of, once known
  std::uint64_t looked_ns_ = 0;  ///< when counters and queues were looked at last
};

}  // namespace ringside
