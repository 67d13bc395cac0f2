// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Bursts on the host GPU: a block of threads a lane, which waits for what launch() hands it, or for
// the state of its next place. A graph is a launch: there is nothing to prepare.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "kernels/registry.hpp"
#include "lib/device/host_block.hpp"
#include "lib/gpu/block_threads.hpp"
#include "lib/gpu/burst_run.hpp"
#include "lib/gpu/host_memory.hpp"

namespace ringside {

class HostBurstRun final : public BurstRun {
 public:
  /// `config.kernel` is not looked at. Throws Error.
  HostBurstRun(const HostKernel& kernel, const BurstRunConfig& config,
               const std::string& device_name, std::shared_ptr<HostMemory> memory);
  ~HostBurstRun() override;

  void enter_thread() noexcept override {}
  bool launch(std::size_t lane, std::uint32_t place) noexcept override;
  std::string fault() const override { return {}; }  // its death is the program's

 private:
  struct Lane {
    Lane(const BurstLaneArgs& lane_args, std::uint32_t threads) : args(lane_args), team(threads) {}
    BurstLaneArgs args;
    HostBlockTeam team;
    alignas(64) std::atomic<std::uint64_t> launched{0};  ///< bursts, by the launching thread
  };

  void serve_launches(HostBlock& block, const Lane& lane) const;

  const HostKernel kernel_;
  const std::string device_name_;
  const std::shared_ptr<HostMemory> memory_;
  std::uint32_t exit_ = 0;  ///< lib/device/memory.hpp's loads and stores
  std::deque<Lane> lanes_;
  std::unique_ptr<BlockThreads> threads_;  ///< last: uses all of the above
};

}  // namespace ringside
