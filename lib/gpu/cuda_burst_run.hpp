// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Bursts on an NVIDIA GPU: a CUDA stream a lane, on which a kernel or a graph is launched for each
// burst; or one resident kernel with a block a lane.
#pragma once

#include <cuda.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/gpu/burst_run.hpp"
#include "lib/gpu/cuda_memory.hpp"
#include "lib/gpu/cuda_module.hpp"
#include "lib/gpu/gpu_device.hpp"

namespace ringside {

class CudaBurstRun final : public BurstRun {
 public:
  /// Throws Error.
  CudaBurstRun(const CudaModule& module, const BurstRunConfig& config, GpuDevice& device,
               std::shared_ptr<CudaMemory> memory);
  ~CudaBurstRun() override;

  void enter_thread() noexcept override;
  bool launch(std::size_t lane, std::uint32_t place) noexcept override;
  std::string fault() const override;

 private:
  void start_resident(CUfunction kernel);
  /// A graph of one kernel for each place: launching it passes no parameters.
  void make_graphs(CUfunction kernel);
  CUresult state() const noexcept;
  bool wait(Deadline deadline) noexcept;
  void release() noexcept;

  const BurstRunConfig config_;
  const std::string device_name_;
  const std::shared_ptr<CudaMemory> memory_;
  GpuMemory words_;  ///< the exit word, and the lanes of a resident kernel
  CUfunction kernel_;
  std::vector<CUstream> streams_;
  std::vector<CUgraphExec> graphs_;              ///< [lane * kMaxBurstPlaces + place]
  std::atomic<CUresult> refused_{CUDA_SUCCESS};  ///< why a launch failed
};

}  // namespace ringside
