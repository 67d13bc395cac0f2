// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#pragma once

#include "lib/device/cuda_block.hpp"
#include "tests/gpu/checks.hpp"

namespace ringside::test::gpu {

template <class What>
__global__ void __launch_bounds__(kMostCheckers) check(Checks checks) {
  __shared__ CudaBlockStorage storage;
  CudaBlock block(storage);
  checks.number = blockIdx.x;
  check_part<What>(block, checks);
  __syncthreads();
  if (threadIdx.x == 0) store_release_system(&checks.findings->over[blockIdx.x], 1U);
}

template <class What>
const void* check_kernel() {
  return reinterpret_cast<const void*>(&check<What>);
}

}  // namespace ringside::test::gpu
