// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a CUDA entry point of a packet program does: one thread block a stream.
#pragma once

#include "kernels/cuda_limits.hpp"
#include "lib/device/cuda_block.hpp"
#include "lib/device/forward.hpp"

namespace ringside {

/// serve(block, stream) in all threads. `streams` may lie across PCIe; it is looked at once.
template <class Serve>
__device__ void serve_stream(const StreamArgs* streams, Serve serve) {
  __shared__ CudaBlockStorage storage;
  __shared__ StreamArgs stream;
  if (threadIdx.x == 0) stream = streams[blockIdx.x];
  __syncthreads();
  CudaBlock block(storage);
  serve(block, stream);
}

template <Program P>
__device__ void run(const StreamArgs* streams) {
  serve_stream(streams,
               [](CudaBlock& block, const StreamArgs& stream) { forward<P>(block, stream); });
}

}  // namespace ringside
