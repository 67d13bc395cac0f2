// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Every packet program on a CUDA block, so that a build without a GPU finds what CUDA refuses.
#include "kernels/all.hpp"
#include "lib/device/cuda_block.hpp"
#include "lib/device/forward.hpp"

namespace ringside {
namespace {

// The largest block there is: the programs must do with 64 registers a thread.
template <Program P>
__global__ void __launch_bounds__(1024) run(const StreamArgs* streams) {
  __shared__ CudaBlockStorage storage;
  CudaBlock block(storage);
  forward<P>(block, streams[blockIdx.x]);
}

using Kernel = void (*)(const StreamArgs*);

template <Program... P>
void take_all(ProgramList<P...>) {
  const Kernel kernels[] = {&run<P>...};
  static_cast<void>(kernels);
}

}  // namespace

void instantiate() { take_all(AllPrograms{}); }

}  // namespace ringside
