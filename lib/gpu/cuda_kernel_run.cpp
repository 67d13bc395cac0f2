// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/cuda_kernel_run.hpp"

#include <time.h>

#include <algorithm>

#include "kernels/cuda_limits.hpp"
#include "lib/base/error.hpp"
#include "lib/device/memory.hpp"
#include "lib/gpu/block_phase.hpp"
#include "lib/gpu/cuda_api.hpp"
#include "lib/gpu/cuda_residency.hpp"

namespace ringside {
namespace {

constexpr std::uint32_t kWarp = 32;

}  // namespace

void CudaKernelRun::check_block_threads(std::uint32_t threads) {
  if (threads == 0 || threads > kCudaBlockThreads || threads % kWarp != 0) {
    throw usage_error(fmt::format("a block cannot have {} threads on this GPU", threads),
                      fmt::format("choose a multiple of {} up to {} (--gpu-block-threads)", kWarp,
                                  kCudaBlockThreads));
  }
}

CudaKernelRun::CudaKernelRun(CUfunction kernel, const LaunchConfig& config, GpuDevice& device,
                             std::shared_ptr<CudaMemory> memory)
    : kernel_name_(config.kernel),
      device_name_(device.info().name),
      memory_(std::move(memory)),
      streams_(config.streams) {
  if (streams_.empty()) {
    throw usage_error(fmt::format("kernel '{}' has no stream to run on", kernel_name_),
                      "give it at least one queue");
  }
  check_block_threads(config.threads_per_block);
  const CurrentContext current(memory_->context());
  processors_ = check_residency(kernel, streams_.size(), config.threads_per_block,
                                memory_->device(), memory_->processors_taken());
  arguments_ = device.allocate_shared(streams_.size() * sizeof(StreamArgs), alignof(StreamArgs));
  std::copy(streams_.begin(), streams_.end(), reinterpret_cast<StreamArgs*>(arguments_.data()));
  cuda().check(cuda().cuStreamCreate_(&stream_, CU_STREAM_NON_BLOCKING), "make a CUDA stream");
  const StreamArgs* streams = arguments_.kernel_pointer<const StreamArgs>();
  void* parameters[] = {&streams};
  const CUresult result =
      cuda().cuLaunchKernel_(kernel, static_cast<unsigned>(streams_.size()), 1, 1,
                             config.threads_per_block, 1, 1, 0, stream_, parameters, nullptr);
  if (result != CUDA_SUCCESS) {
    cuda().cuStreamDestroy_(stream_);
    cuda().check(result, fmt::format("launch kernel '{}' on {}", kernel_name_, device_name_));
  }
  memory_->kernel_started(processors_);
}

CudaKernelRun::~CudaKernelRun() {
  request_stop();
  if (wait(Deadline::after_ms(stop_ms(streams_)))) return;
  end_program_with(kernel_name_, device_name_, blocks_text(streams_, unfinished_blocks(streams_)));
}

void CudaKernelRun::request_stop() noexcept {
  // Meets the exit poll of each block's back.
  for (const StreamArgs& stream : streams_) store_release_system(&stream.control->exit, 1U);
}

void CudaKernelRun::join(Deadline deadline) {
  if (!wait(deadline)) {
    throw Error(fmt::format("kernel '{}' on {} did not stop in time: {}", kernel_name_,
                            device_name_, blocks_text(streams_, unfinished_blocks(streams_))),
                "see whether the NIC still completes sends; otherwise end the program");
  }
  if (result_ != CUDA_SUCCESS) {
    throw Error(
        fmt::format("kernel '{}' on {} faulted: {}; {}", kernel_name_, device_name_,
                    cuda().text(result_), blocks_text(streams_, unfinished_blocks(streams_))),
        "the GPU's context is lost: end the program, and run it under compute-sanitizer");
  }
}

bool CudaKernelRun::running() const noexcept {
  return !ended_ && state() == CUDA_ERROR_NOT_READY;
}

CUresult CudaKernelRun::state() const noexcept {
  const ContextGuard current(memory_->context());
  return cuda().cuStreamQuery_(stream_);
}

bool CudaKernelRun::wait(Deadline deadline) noexcept {
  if (ended_) return true;
  while ((result_ = state()) == CUDA_ERROR_NOT_READY) {
    if (deadline.passed()) return false;
    constexpr timespec kPoll{0, 200'000};
    ::nanosleep(&kPoll, nullptr);
  }
  ended_ = true;
  memory_->kernel_ended(processors_);
  const ContextGuard current(memory_->context());
  cuda().cuStreamDestroy_(stream_);
  return true;
}

}  // namespace ringside
