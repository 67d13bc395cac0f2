// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A persistent kernel on the host GPU: one block of threads a stream.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "kernels/registry.hpp"
#include "lib/device/host_block.hpp"
#include "lib/gpu/block_threads.hpp"
#include "lib/gpu/gpu_device.hpp"
#include "lib/gpu/host_memory.hpp"

namespace ringside {

class HostKernelRun final : public PersistentKernel {
 public:
  /// As a CUDA thread block.
  static constexpr unsigned kMaxThreadsPerBlock = 1024;

  /// Throws usage_error.
  static void check_block_threads(std::uint32_t threads);

  /// Starts at once. `config.kernel` is not looked at. `memory` is told that a kernel runs until
  /// the last thread ends. Throws Error.
  HostKernelRun(const HostKernel& kernel, const LaunchConfig& config,
                const std::string& device_name, std::shared_ptr<HostMemory> memory);
  /// Stops the kernel. If a block does not end, neither may what it uses: then it says so and
  /// terminates the program.
  ~HostKernelRun() override;

  void request_stop() noexcept override;
  void join(Deadline deadline) override;
  bool running() const noexcept override { return threads_->running(); }

 private:
  const HostKernel kernel_;
  const std::string device_name_;
  const std::shared_ptr<HostMemory> memory_;
  const std::vector<StreamArgs> streams_;
  std::deque<HostBlockTeam> teams_;        ///< a stream each; they cannot be moved
  std::unique_ptr<BlockThreads> threads_;  ///< last: uses all of the above
};

}  // namespace ringside
