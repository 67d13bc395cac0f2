// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// How a CUDA kernel runs a packet program on bursts that the CPU hands over, by the thread block.
#pragma once

#include "lib/device/burst.hpp"
#include "lib/device/cuda_block.hpp"

namespace ringside {

template <BurstProgram P>
__device__ void burst(const BurstArgs& args) {
  __shared__ CudaBlockStorage storage;
  CudaBlock block(storage);
  run_burst<P>(block, args);
}

template <BurstProgram P>
__device__ void serve(const BurstLaneArgs* lanes) {
  __shared__ CudaBlockStorage storage;
  // The lanes lie in pinned memory, a PCIe round trip away: looked at once.
  __shared__ BurstLaneArgs lane;
  if (threadIdx.x == 0) lane = lanes[blockIdx.x];
  __syncthreads();
  CudaBlock block(storage);
  serve_bursts<P>(block, lane);
}

}  // namespace ringside
