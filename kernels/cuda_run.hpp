// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a CUDA entry point of a packet program does: one thread block a stream.
#pragma once

#include "kernels/cuda_limits.hpp"
#include "lib/device/cuda_block.hpp"
#include "lib/device/forward.hpp"

namespace ringside {

/// `streams` may lie across PCIe; it is looked at once.
template <Program P>
__device__ void run(const StreamArgs* streams) {
  __shared__ CudaBlockStorage storage;
  __shared__ StreamArgs stream;
  if (threadIdx.x == 0) stream = streams[blockIdx.x];
  __syncthreads();
  CudaBlock block(storage);
  forward<P>(block, stream);
}

}  // namespace ringside
