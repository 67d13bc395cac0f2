// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "tests/bench/gpu_content/launch.hpp"

#include "lib/device/cuda_block.hpp"

namespace ringside::bench {
namespace {

__global__ void __launch_bounds__(1024) run_block(Content content, ContentArgs args, bool* sent) {
  __shared__ CudaBlockStorage storage;
  CudaBlock block(storage);
  const bool all = send_content(block, content, args);
  if (block.rank() == 0) *sent = all;
}

__global__ void run_thread(Content content, ContentArgs args, bool* sent) {
  ThreadScope thread;
  *sent = send_content(thread, content, args);
}

}  // namespace

void* allocate_pinned(std::size_t bytes) noexcept {
  void* memory = nullptr;
  const auto flags = cudaHostAllocMapped | cudaHostAllocPortable;
  return cudaHostAlloc(&memory, bytes, flags) == cudaSuccess ? memory : nullptr;
}

std::string run_on_gpu(Content content, std::uint32_t threads, const ContentArgs& args,
                       void (*serve)(void*), void* context) {
  static bool* const sent = static_cast<bool*>(allocate_pinned(sizeof(bool)));
  *sent = false;
  if (threads == 1) {
    run_thread<<<1, 1>>>(content, args, sent);
  } else {
    run_block<<<1, threads>>>(content, args, sent);
  }
  cudaError_t state = cudaGetLastError();
  if (state == cudaSuccess) {
    while ((state = cudaStreamQuery(nullptr)) == cudaErrorNotReady) serve(context);
  }
  if (state != cudaSuccess) return cudaGetErrorString(state);
  return *sent ? "" : "a batch was not posted, or not sent, in time";
}

}  // namespace ringside::bench
