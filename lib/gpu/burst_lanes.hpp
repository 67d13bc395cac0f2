// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Bursts of mbufs through a packet program on the GPU: lanes that run beside each other, in each of
// which several bursts can be in flight, in order.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/gpu/burst_places.hpp"
#include "lib/gpu/burst_run.hpp"

namespace ringside {

/// Of one thread, but for enter_thread().
class BurstLane {
 public:
  /// `places` and `run` have to live longer. `launches`: the run wants to be told of each burst.
  BurstLane(BurstPlaces& places, BurstRun& run, std::size_t index, bool launches)
      : places_(places), run_(run), index_(index), launches_(launches) {}

  /// In a thread before it uses lanes.
  void enter_thread() noexcept { run_.enter_thread(); }
  bool full() const noexcept { return submitted_ - retired_ == places_.count(); }
  bool empty() const noexcept { return submitted_ == retired_; }
  /// Not when full. false: the GPU does not take it: a chained mbuf, or it takes none any more.
  bool submit(std::span<rte_mbuf* const> mbufs) noexcept;
  /// Of the oldest burst submitted and not retired, one a packet; nullptr: it is not done.
  const Verdict* verdicts() const noexcept;
  /// Gives the oldest burst's place back.
  void retire() noexcept;

 private:
  std::uint32_t place(std::uint64_t burst) const noexcept {
    return static_cast<std::uint32_t>(burst % places_.count());
  }

  BurstPlaces& places_;
  BurstRun& run_;
  const std::size_t index_;
  const bool launches_;
  std::uint64_t submitted_ = 0;
  std::uint64_t retired_ = 0;
};

struct BurstLanesConfig {
  /// kResident: fed by gpudev's communication lists.
  BurstLaunch launch = BurstLaunch::kKernel;
  std::string kernel;
  std::uint32_t threads_per_block = 1;
  std::uint32_t burst = 1;            ///< packets at most
  std::int64_t view_offset = 0;       ///< of the packets
  std::vector<ProgramArgs> programs;  ///< one a lane
  std::vector<unsigned> cpus;         ///< see BurstRunConfig
};

class BurstLanes {
 public:
  /// Throws as GpuDevice::start_bursts().
  BurstLanes(GpuDevice& device, const BurstLanesConfig& config);

  BurstLane& operator[](std::size_t lane) { return lanes_[lane]; }
  /// What the GPU has died of, or empty. Any thread.
  std::string fault() const { return run_->fault(); }

 private:
  std::vector<std::unique_ptr<BurstPlaces>> places_;
  std::unique_ptr<BurstRun> run_;  ///< ends before the places go
  std::deque<BurstLane> lanes_;
};

}  // namespace ringside
