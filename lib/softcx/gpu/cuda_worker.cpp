// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/gpu/cuda_worker.hpp"

#include <fmt/core.h>
#include <sys/mman.h>
#include <time.h>

#include <atomic>

#include "lib/base/clock.hpp"

namespace softcx {
namespace {

constexpr std::uint64_t kLongestWaitMs = 2000;

}  // namespace

bool CudaWorker::failed(const char* action, CUresult result) noexcept {
  if (result == CUDA_SUCCESS) return false;
  failure_ = fmt::format("cannot {}: {}", action, cuda_.text(result));
  return true;
}

bool CudaWorker::open() {
  void* const memory = ::mmap(nullptr, sizeof(CopyArea), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) return !failed("map memory", CUDA_ERROR_OUT_OF_MEMORY);
  // A child of fork() would make the pinned pages copies of what the GPU sees.
  ::madvise(memory, sizeof(CopyArea), MADV_DONTFORK);
  area_ = static_cast<CopyArea*>(memory);

  const CurrentContext current(cuda_, context_);
  if (failed("pin memory",
             cuda_.cuMemHostRegister_(area_, sizeof(CopyArea), CU_MEMHOSTREGISTER_DEVICEMAP))) {
    return false;
  }
  if (failed("map pinned memory", cuda_.cuMemHostGetDevicePointer_(&gpu_area_, area_, 0))) {
    cuda_.cuMemHostUnregister_(area_);
    return false;
  }
  if (failed("allocate memory", cuda_.cuMemAlloc_(&relay_, sizeof(std::uint64_t))) ||
      failed("clear memory", cuda_.cuMemsetD8_(relay_, 0, sizeof(std::uint64_t)))) {
    return false;
  }
  int least = 0;
  int greatest = 0;
  cuda_.cuCtxGetStreamPriorityRange_(&least, &greatest);
  if (failed("make a stream",
             cuda_.cuStreamCreateWithPriority_(&stream_, CU_STREAM_NON_BLOCKING, greatest))) {
    return false;
  }
  return run_once();
}

bool CudaWorker::run_once() {
  constexpr std::uint32_t kInstance = 0;
  std::atomic_ref<std::uint64_t>(area_->order)
      .store(copy_order(0, kInstance), std::memory_order_release);
  if (!start(0, kInstance)) return false;
  const auto deadline = ringside::Deadline::after_ms(kLongestWaitMs);
  CUresult state = CUDA_ERROR_NOT_READY;
  while ((state = cuda_.cuStreamQuery_(stream_)) == CUDA_ERROR_NOT_READY && !deadline.passed()) {
    constexpr timespec kPoll{0, 100'000};
    ::nanosleep(&kPoll, nullptr);
  }
  return !failed("run the copy kernel", state);
}

bool CudaWorker::start(std::uint32_t first_chunk, std::uint32_t instance) noexcept {
  const CurrentContext current(cuda_, context_);
  CopyKernelArgs args{reinterpret_cast<CopyArea*>(gpu_area_),
                      reinterpret_cast<std::uint64_t*>(relay_), first_chunk, instance};
  void* parameters[] = {&args};
  return !failed("start the copy kernel",
                 cuda_.cuLaunchKernel_(kernel_, kCopyGrid, 1, 1, kCopyWarps * 32, 1, 1, 0, stream_,
                                       parameters, nullptr));
}

bool CudaWorker::healthy() noexcept {
  const CurrentContext current(cuda_, context_);
  const CUresult state = cuda_.cuStreamQuery_(stream_);
  return state == CUDA_ERROR_NOT_READY || !failed("run the copy kernel", state);
}

CudaWorker::~CudaWorker() {
  if (area_ == nullptr) return;
  const CurrentContext current(cuda_, context_);
  if (stream_ != nullptr) {
    const auto deadline = ringside::Deadline::after_ms(kLongestWaitMs);
    while (cuda_.cuStreamQuery_(stream_) == CUDA_ERROR_NOT_READY) {
      if (deadline.passed()) return;  // it still uses the area
      constexpr timespec kPoll{0, 100'000};
      ::nanosleep(&kPoll, nullptr);
    }
    cuda_.cuStreamDestroy_(stream_);
  }
  if (relay_ != 0) cuda_.cuMemFree_(relay_);
  if (gpu_area_ != 0) cuda_.cuMemHostUnregister_(area_);
  ::munmap(area_, sizeof(CopyArea));
}

}  // namespace softcx
