// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The CUDA driver library, opened at run time: the same program starts on a machine without CUDA.
#pragma once

#include <cuda.h>

#include <string>

namespace ringside {

/// The driver calls that are used, each under the name that cuda.h gives its current version.
// clang-format off
#define RINGSIDE_CUDA_CALLS(X)                                                                    \
  X(cuInit) X(cuGetErrorName) X(cuGetErrorString)                                                 \
  X(cuDeviceGet) X(cuDeviceGetCount) X(cuDeviceGetAttribute) X(cuDeviceTotalMem)                  \
  X(cuDeviceGetByPCIBusId) X(cuDevicePrimaryCtxRetain) X(cuDevicePrimaryCtxRelease)               \
  X(cuCtxPushCurrent) X(cuCtxPopCurrent)                                                          \
  X(cuMemAlloc) X(cuMemFree) X(cuMemsetD8) X(cuMemcpyHtoD) X(cuMemcpyDtoH)                        \
  X(cuMemHostRegister) X(cuMemHostUnregister) X(cuMemHostGetDevicePointer)                        \
  X(cuPointerSetAttribute) X(cuMemGetHandleForAddressRange)                                       \
  X(cuModuleLoadData) X(cuModuleGetFunction) X(cuModuleUnload)                                    \
  X(cuLinkCreate) X(cuLinkAddData) X(cuLinkComplete) X(cuLinkDestroy)                             \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor)                                                  \
  X(cuStreamCreate) X(cuStreamDestroy) X(cuStreamQuery) X(cuLaunchKernel)                         \
  X(cuGraphCreate) X(cuGraphDestroy) X(cuGraphAddKernelNode) X(cuGraphInstantiate)                \
  X(cuGraphUpload) X(cuGraphLaunch) X(cuGraphExecDestroy) X(cuCtxSetCurrent)
// clang-format on

struct CudaApi {
#define X(call) decltype(&::call) call##_ = nullptr;
  RINGSIDE_CUDA_CALLS(X)
#undef X

  /// "CUDA_ERROR_INVALID_VALUE (invalid argument)"
  std::string text(CUresult result) const;
  /// Throws Error unless `result` is CUDA_SUCCESS. `action`: what was tried, with its values.
  void check(CUresult result, const std::string& action) const;
};

/// Opens and initialises the library once. nullptr where there is none, no device, or one that is
/// too old; `why` then says so.
const CudaApi* cuda_api(std::string& why);
/// Of a process in which cuda_api() has succeeded.
const CudaApi& cuda();

/// Makes a context the calling thread's until the end of the scope, for code that must not throw:
/// where that fails, so do the calls that need it, by CUDA_ERROR_INVALID_CONTEXT.
class ContextGuard {
 public:
  explicit ContextGuard(CUcontext context) noexcept;
  ~ContextGuard();
  ContextGuard(const ContextGuard&) = delete;
  ContextGuard& operator=(const ContextGuard&) = delete;

 protected:
  CUresult result_;
};

/// The same for code that may. Throws Error.
class CurrentContext : public ContextGuard {
 public:
  explicit CurrentContext(CUcontext context);
};

}  // namespace ringside
