// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The kernels of a run of the GPU data path, in the order that packets pass through them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/gpu/gpu_device.hpp"
#include "lib/runtime/gpu_stream.hpp"

namespace ringside {

/// A kernel to launch, and which block of which stream is each of its own.
struct KernelPlan {
  GpuDevice& gpu;
  LaunchConfig config;
  std::vector<std::pair<std::size_t, std::size_t>> blocks;  ///< of config.streams
};

class LaunchedKernels {
 public:
  bool running() const noexcept { return !kernels_.empty(); }
  /// Of a new run. Throws as GpuDevice::launch(), and then none of them runs: what they have handed
  /// over nobody takes.
  void launch(const std::vector<KernelPlan>& plans);
  /// What a kernel has handed on is finished before the kernels behind it are told to end, so that
  /// no packet is lost: each in its turn, bounded. What went wrong first, or nothing: of one that
  /// still runs, or of what ended by a fault.
  std::optional<Error> stop();
  bool all_ended() const;
  void clear() { kernels_.clear(); }
  /// Of one that died on the GPU, which says nothing by its streams' words: the error, once. Else
  /// empty.
  std::string take_fault(std::span<const GpuStream> streams);
  const std::optional<Error>& fault() const noexcept { return fault_; }

 private:
  struct Launched {
    std::unique_ptr<PersistentKernel> kernel;
    std::vector<std::pair<std::size_t, std::size_t>> blocks;
    std::uint64_t stop_ms;  ///< what it may take to end
  };
  PersistentKernel* dead(std::span<const GpuStream> streams) const;

  std::vector<Launched> kernels_;
  std::optional<Error> fault_;  ///< what one of them died of, once known
};

}  // namespace ringside
