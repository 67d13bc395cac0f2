// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The entry point of libsoftcx_gpu.so: which GPU an address belongs to.
#include <fmt/core.h>

#include <list>
#include <mutex>

#include "lib/softcx/gpu/cuda_worker.hpp"

/// The fat binary of copy_kernel.cu (copy_image.S).
extern "C" const char softcx_copy_image[];

namespace softcx {
namespace {

class CudaCopyEngine final : public CopyEngine {
 public:
  CudaCopyEngine(const CudaCalls& cuda, CUcontext context) : cuda_(cuda), context_(context) {}

  CUcontext context() const { return context_; }

  /// Loads the kernel.
  bool open(std::string& why) {
    const CurrentContext current(cuda_, context_);
    CUresult result = cuda_.cuModuleLoadData_(&module_, softcx_copy_image);
    if (result == CUDA_SUCCESS) {
      result = cuda_.cuModuleGetFunction_(&kernel_, module_, "softcx_copy");
    }
    if (result != CUDA_SUCCESS) {
      why = "cannot load the copy kernel into the GPU: " + cuda_.text(result);
    }
    return result == CUDA_SUCCESS;
  }

  std::unique_ptr<CopyWorker> open_worker(std::string& why) override {
    auto worker = std::make_unique<CudaWorker>(cuda_, context_, kernel_);
    if (worker->open()) return worker;
    why = worker->failure();
    return nullptr;
  }

 private:
  const CudaCalls& cuda_;
  const CUcontext context_;
  CUmodule module_ = nullptr;
  CUfunction kernel_ = nullptr;
};

struct Range {
  CUmemorytype kind{};
  unsigned managed = 0;
  CUcontext context = nullptr;
  int device = 0;
  CUdeviceptr start = 0;
  std::size_t size = 0;
};

/// False: no memory that CUDA knows.
bool ask(const CudaCalls& cuda, CUdeviceptr address, Range& range) {
  CUpointer_attribute names[] = {
      CU_POINTER_ATTRIBUTE_MEMORY_TYPE,      CU_POINTER_ATTRIBUTE_IS_MANAGED,
      CU_POINTER_ATTRIBUTE_CONTEXT,          CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
      CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  void* values[] = {&range.kind,   &range.managed, &range.context,
                    &range.device, &range.start,   &range.size};
  return cuda.cuPointerGetAttributes_(std::size(names), names, values, address) == CUDA_SUCCESS;
}

/// The context that the memory belongs to. That of memory without one (made by cuMemCreate) is its
/// device's primary one, which is kept from here on.
CUcontext context_of(const CudaCalls& cuda, const Range& range) {
  CUcontext primary = nullptr;
  if (cuda.cuDevicePrimaryCtxRetain_(&primary, range.device) != CUDA_SUCCESS) return range.context;
  if (range.context == nullptr || range.context == primary) return primary;
  cuda.cuDevicePrimaryCtxRelease_(range.device);
  return range.context;
}

CopyEngine* engine_of(const CudaCalls& cuda, CUcontext context, std::string& why) {
  // Never destroyed: engine threads use them until the process ends.
  static auto& engines = *new std::list<CudaCopyEngine>;
  for (CudaCopyEngine& engine : engines) {
    if (engine.context() == context) return &engine;
  }
  CudaCopyEngine& engine = engines.emplace_back(cuda, context);
  if (engine.open(why)) return &engine;
  engines.pop_back();
  return nullptr;
}

}  // namespace
}  // namespace softcx

extern "C" __attribute__((visibility("default"))) softcx::CopyEngine* softcx_find_copy_engine(
    std::uint64_t address, std::uint64_t length, std::string& why) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const softcx::CudaCalls* const cuda = softcx::cuda_calls();
  softcx::Range range;
  if (cuda == nullptr || !softcx::ask(*cuda, address, range)) return nullptr;
  if (range.kind != CU_MEMORYTYPE_DEVICE || range.managed != 0) return nullptr;
  const std::uint64_t offset = address - range.start;
  if (offset > range.size || length > range.size - offset) {
    why = fmt::format("{} bytes at {:#x} are more than the GPU allocation of {} at {:#x}", length,
                      address, range.size, range.start);
    return nullptr;
  }
  return softcx::engine_of(*cuda, softcx::context_of(*cuda, range), why);
}
