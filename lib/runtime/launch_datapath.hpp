// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The CPU-orchestrated data path: lcores receive and send on the PMD's queues, and hand bursts to
// the GPU in between (--gpu-launch): the way that GPU-driven rings are measured against.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/gpu/burst_lanes.hpp"
#include "lib/gpu/gpu_pool.hpp"
#include "lib/runtime/burst_flow.hpp"
#include "lib/runtime/pmd_datapath.hpp"

namespace ringside {

class LaunchDatapath final : public PmdDatapath {
 public:
  /// `gpu` and `pool` must live longer. Throws Error.
  LaunchDatapath(const RuntimeConfig& config, GpuDevice& gpu, GpuPool& pool,
                 const std::vector<std::unique_ptr<EthPort>>& ports);
  ~LaunchDatapath() override { end(); }

  void start(const ForwardMode& mode, std::uint32_t tx_first) override;
  void stop() override;
  bool running() const override { return lanes_ != nullptr; }
  std::vector<std::string> take_events() override;
  std::string describe(std::uint16_t port) const override;

 private:
  void enter() override { (*lanes_)[0].enter_thread(); }
  bool serve(PmdStream& stream) override { return flows_[stream.index].serve(); }
  void finish(PmdStream& stream) override;
  std::uint64_t finish_ms() const noexcept override;
  const char* at(const PmdStream& stream) const noexcept override {
    return flows_[stream.index].step();
  }

  std::unique_ptr<BurstLanes> make_lanes(std::string_view kernel, BurstLaunch launch);
  void send_first(std::uint64_t frames);
  /// What the GPU has died of or refused, or empty.
  std::string find_fault() const;

  GpuDevice& gpu_;
  GpuPool& pool_;
  std::vector<ProgramArgs> programs_;  ///< of the streams
  std::deque<std::unique_ptr<PacketQueues>> queues_;
  std::unique_ptr<BurstLanes> lanes_;
  std::deque<BurstFlow> flows_;  ///< a stream each
  bool fault_told_ = false;
};

}  // namespace ringside
