// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The calls of the CUDA driver library that the application has loaded.
#pragma once

#include <cuda.h>

#include <string>

namespace softcx {

// clang-format off
#define SOFTCX_CUDA_CALLS(X)                                                                  \
  X(cuGetErrorName) X(cuGetErrorString) X(cuPointerGetAttributes)                             \
  X(cuDevicePrimaryCtxRetain) X(cuDevicePrimaryCtxRelease)                                    \
  X(cuCtxPushCurrent) X(cuCtxPopCurrent) X(cuCtxGetStreamPriorityRange)                       \
  X(cuMemAlloc) X(cuMemFree) X(cuMemsetD8)                                                    \
  X(cuMemHostRegister) X(cuMemHostUnregister) X(cuMemHostGetDevicePointer)                    \
  X(cuModuleLoadData) X(cuModuleUnload) X(cuModuleGetFunction)                                \
  X(cuStreamCreateWithPriority) X(cuStreamDestroy) X(cuStreamQuery) X(cuLaunchKernel)
// clang-format on

struct CudaCalls {
#define X(call) decltype(&::call) call##_ = nullptr;
  SOFTCX_CUDA_CALLS(X)
#undef X

  /// "CUDA_ERROR_INVALID_VALUE (invalid argument)"
  std::string text(CUresult result) const;
};

/// nullptr where the process has not loaded the library: then it has no device memory either. It is
/// not loaded for this question.
const CudaCalls* cuda_calls();

/// Makes a context the calling thread's until the end of the scope. Where that fails, so do the
/// calls that need it, by CUDA_ERROR_INVALID_CONTEXT.
class CurrentContext {
 public:
  CurrentContext(const CudaCalls& cuda, CUcontext context) noexcept
      : cuda_(cuda), pushed_(cuda.cuCtxPushCurrent_(context) == CUDA_SUCCESS) {}
  ~CurrentContext() {
    CUcontext popped = nullptr;
    if (pushed_) cuda_.cuCtxPopCurrent_(&popped);
  }
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

 private:
  const CudaCalls& cuda_;
  bool pushed_;
};

}  // namespace softcx
