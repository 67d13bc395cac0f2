// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// One engine thread's copy kernel on a GPU.
#pragma once

#include "lib/softcx/gpu/cuda_calls.hpp"
#include "lib/softcx/nic/copy_engine.hpp"

namespace softcx {

class CudaWorker final : public CopyWorker {
 public:
  CudaWorker(const CudaCalls& cuda, CUcontext context, CUfunction kernel)
      : cuda_(cuda), context_(context), kernel_(kernel) {}
  /// Waits for a kernel that is leaving. What the driver does not give back stays.
  ~CudaWorker() override;
  CudaWorker(const CudaWorker&) = delete;
  CudaWorker& operator=(const CudaWorker&) = delete;

  /// Pins the area, and runs the kernel once for nothing: what is wrong is told here, and nothing
  /// is loaded later, beside kernels that do not end. False: failure() says why.
  bool open();

  CopyArea& area() noexcept override { return *area_; }
  bool start(std::uint32_t first_chunk, std::uint32_t instance) noexcept override;
  bool healthy() noexcept override;
  std::string failure() const override { return failure_; }

 private:
  bool failed(const char* action, CUresult result) noexcept;
  bool run_once();

  const CudaCalls& cuda_;
  const CUcontext context_;
  const CUfunction kernel_;
  CopyArea* area_ = nullptr;
  CUdeviceptr gpu_area_ = 0;  ///< 0: not pinned
  CUdeviceptr relay_ = 0;
  CUstream stream_ = nullptr;
  std::string failure_;
};

}  // namespace softcx
