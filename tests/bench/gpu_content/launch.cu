// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "tests/bench/gpu_content/launch.hpp"

#include <memory>

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

std::string run_on_gpu(Content content, std::uint32_t threads, const ContentArgs& args,
                       void (*serve)(void*), void* context) {
  const auto sent = std::make_unique<bool>(false);
  if (threads == 1) {
    run_thread<<<1, 1>>>(content, args, sent.get());
  } else {
    run_block<<<1, threads>>>(content, args, sent.get());
  }
  cudaError_t state = cudaGetLastError();
  if (state == cudaSuccess) {
    while ((state = cudaStreamQuery(nullptr)) == cudaErrorNotReady) serve(context);
  }
  if (state != cudaSuccess) return cudaGetErrorString(state);
  return *sent ? "" : "a batch was not posted, or not sent, in time";
}

}  // namespace ringside::bench
