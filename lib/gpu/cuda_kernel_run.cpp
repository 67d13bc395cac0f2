// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/cuda_kernel_run.hpp"

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "lib/base/error.hpp"
#include "lib/device/memory.hpp"
#include "lib/gpu/block_phase.hpp"
#include "lib/gpu/cuda_api.hpp"

namespace ringside {
namespace {

constexpr std::uint32_t kWarp = 32;
constexpr std::uint32_t kMaxThreads = 1024;

void check_shape(CUfunction kernel, const LaunchConfig& config, CUdevice device) {
  const std::uint32_t threads = config.threads_per_block;
  if (threads == 0 || threads > kMaxThreads || threads % kWarp != 0) {
    throw usage_error(fmt::format("a CUDA block cannot have {} threads here", threads),
                      fmt::format("choose a multiple of {} up to {}", kWarp, kMaxThreads));
  }
  int processors = 0;
  int blocks = 0;
  cuda().check(
      cuda().cuDeviceGetAttribute_(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device),
      "read a GPU's properties");
  cuda().check(cuda().cuOccupancyMaxActiveBlocksPerMultiprocessor_(&blocks, kernel,
                                                                   static_cast<int>(threads), 0),
               "compute a kernel's occupancy");
  const auto resident = static_cast<std::size_t>(processors) * static_cast<std::size_t>(blocks);
  // A block that is not resident would wait for ever for one that never ends.
  if (config.streams.size() > resident) {
    throw usage_error(fmt::format("{} blocks of {} threads cannot all be resident on the GPU",
                                  config.streams.size(), threads),
                      fmt::format("use at most {} queues, or smaller blocks", resident));
  }
}

}  // namespace

CudaKernelRun::CudaKernelRun(CUfunction kernel, const LaunchConfig& config,
                             const std::string& device_name, std::shared_ptr<CudaMemory> memory)
    : kernel_name_(config.kernel),
      device_name_(device_name),
      memory_(std::move(memory)),
      streams_(config.streams) {
  if (streams_.empty()) {
    throw usage_error(fmt::format("kernel '{}' has no stream to run on", kernel_name_),
                      "give it at least one queue");
  }
  const CurrentContext current(memory_->context());
  check_shape(kernel, config, memory_->device());
  const std::size_t bytes = streams_.size() * sizeof(StreamArgs);
  cuda().check(cuda().cuMemAlloc_(&device_streams_, bytes), "allocate a kernel's arguments");
  cuda().check(cuda().cuMemcpyHtoD_(device_streams_, streams_.data(), bytes),
               "copy a kernel's arguments");
  cuda().check(cuda().cuStreamCreate_(&stream_, CU_STREAM_NON_BLOCKING), "make a CUDA stream");
  void* arguments[] = {&device_streams_};
  memory_->kernel_started();
  const CUresult result =
      cuda().cuLaunchKernel_(kernel, static_cast<unsigned>(streams_.size()), 1, 1,
                             config.threads_per_block, 1, 1, 0, stream_, arguments, nullptr);
  if (result != CUDA_SUCCESS) {
    memory_->kernel_ended();
    cuda().check(result, fmt::format("launch kernel '{}' on {}", kernel_name_, device_name_));
  }
}

CudaKernelRun::~CudaKernelRun() {
  if (released_) return;
  request_stop();
  CUresult result = CUDA_SUCCESS;
  if (wait(Deadline::after_ms(stop_ms(streams_)), result)) {
    release();
    return;
  }
  fmt::print(stderr,
             "ringside: kernel '{}' on {} cannot be stopped: {}. What it uses cannot be freed; the "
             "program ends.\n",
             kernel_name_, device_name_, blocks_text(streams_, unfinished_blocks(streams_)));
  std::terminate();
}

void CudaKernelRun::request_stop() noexcept {
  // Meets the exit poll of each block's rank 0.
  for (const StreamArgs& stream : streams_) store_release_system(&stream.control->exit, 1U);
}

void CudaKernelRun::join(Deadline deadline) {
  CUresult result = CUDA_SUCCESS;
  if (!wait(deadline, result)) {
    throw Error(fmt::format("kernel '{}' on {} did not stop in time: {}", kernel_name_,
                            device_name_, blocks_text(streams_, unfinished_blocks(streams_))),
                "see whether the NIC still completes sends; otherwise end the program");
  }
  release();
  if (result != CUDA_SUCCESS) {
    throw Error(
        fmt::format("kernel '{}' on {} faulted: {}; {}", kernel_name_, device_name_,
                    cuda().text(result), blocks_text(streams_, unfinished_blocks(streams_))),
        "the GPU's context is lost: end the program, and run it under compute-sanitizer");
  }
}

bool CudaKernelRun::running() const noexcept {
  return !released_ && state() == CUDA_ERROR_NOT_READY;
}

CUresult CudaKernelRun::state() const noexcept {
  cuda().cuCtxPushCurrent_(memory_->context());
  const CUresult result = cuda().cuStreamQuery_(stream_);
  CUcontext popped;
  cuda().cuCtxPopCurrent_(&popped);
  return result;
}

bool CudaKernelRun::wait(Deadline deadline, CUresult& result) const noexcept {
  if (released_) return true;
  while ((result = state()) == CUDA_ERROR_NOT_READY) {
    if (deadline.passed()) return false;
    constexpr timespec kPoll{0, 200'000};
    ::nanosleep(&kPoll, nullptr);
  }
  return true;
}

void CudaKernelRun::release() noexcept {
  if (released_) return;
  released_ = true;
  memory_->kernel_ended();
  cuda().cuCtxPushCurrent_(memory_->context());
  cuda().cuStreamDestroy_(stream_);
  cuda().cuMemFree_(device_streams_);
  CUcontext popped;
  cuda().cuCtxPopCurrent_(&popped);
}

}  // namespace ringside
