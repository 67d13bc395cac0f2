// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "tests/gpu/sharing.hpp"

#include "lib/device/counted.hpp"
#include "tests/gpu/scopes.cuh"

namespace ringside::test::gpu {
namespace {

template <class What, Sharing kSharing, GpuScope kScope>
__global__ void __launch_bounds__(256) share(SharingArgs<kSharing> args) {
  __shared__ CudaBlockStorage storage;
  __shared__ QueueTally tally;
  if (threadIdx.x == 0) tally.begin(&args.counters[blockIdx.x]);
  __syncthreads();
  auto scope = make_scope<kScope>(storage);
  run_in_scope<What, kSharing>(number_of(scope), scope, tally, args.handle, args.orders);
  __syncthreads();
  if (threadIdx.x == 0) tally.publish();
}

}  // namespace

template <class What, Sharing kSharing>
const void* sharing_kernel(GpuScope scope) {
  switch (scope) {
    case GpuScope::kThread:
      return reinterpret_cast<const void*>(&share<What, kSharing, GpuScope::kThread>);
    case GpuScope::kWarp:
      return reinterpret_cast<const void*>(&share<What, kSharing, GpuScope::kWarp>);
    case GpuScope::kBlock:
      break;
  }
  return reinterpret_cast<const void*>(&share<What, kSharing, GpuScope::kBlock>);
}

#define RS_SHARED(What)                                                 \
  template const void* sharing_kernel<What, Sharing::kBlock>(GpuScope); \
  template const void* sharing_kernel<What, Sharing::kGpu>(GpuScope);

RS_SHARED(SendsInTurn)
RS_SHARED(CountsItsSends)
RS_SHARED(FillsTheRing)
RS_SHARED(SendsUntilItStops)
RS_SHARED(TakesCqes)

}  // namespace ringside::test::gpu
