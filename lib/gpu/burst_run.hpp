// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A GPU that processes bursts of packets which the CPU has received (lib/device/burst.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/registry.hpp"
#include "lib/base/error.hpp"
#include "lib/device/burst.hpp"

namespace ringside {

/// How a burst reaches the GPU.
enum class BurstLaunch : std::uint8_t {
  kKernel,    ///< a kernel is launched for it
  kGraph,     ///< a graph is launched for it, made before for each place
  kResident,  ///< a resident kernel sees its state, nothing is launched
};

struct BurstRunConfig {
  BurstLaunch launch = BurstLaunch::kKernel;
  std::string kernel;                   ///< name in the kernel registry
  std::uint32_t threads_per_block = 1;  ///< as GpuDevice::block_threads() says
  /// One block works on a lane at a time. `exit` is filled in.
  std::vector<BurstLaneArgs> lanes;
  std::vector<unsigned> cpus;  ///< host GPU: CPUs its threads may use; empty: all
};

/// Throws usage_error for a program that needs all packets to come through its own kernel.
inline void check_runs_on_bursts(const HostKernel& kernel) {
  if (kernel.run_burst != nullptr) return;
  throw usage_error(
      fmt::format("kernel '{}' does not run on bursts that the CPU hands over", kernel.name),
      "it keeps state of its packets: let it drive the queues itself (--gpu-launch=persistent)");
}

/// From start to destruction, which ends it. Bursts in flight are finished or, where the GPU does
/// not answer in time, end the program: what they use cannot be freed.
class BurstRun {
 public:
  virtual ~BurstRun() = default;
  /// In a thread before its first launch().
  virtual void enter_thread() noexcept = 0;
  /// Starts the burst in `place` of `lane`, which is kReady; a lane's places in turn, from one
  /// thread. false: the GPU took none, fault() says why. Not for kResident.
  virtual bool launch(std::size_t lane, std::uint32_t place) noexcept = 0;
  /// What the GPU has died of, or empty. Any thread.
  virtual std::string fault() const = 0;
};

}  // namespace ringside
