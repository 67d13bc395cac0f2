// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "tests/gpu/errands.cuh"

namespace ringside::test::gpu {

#define RS_ERRANDS(sharing)                                                       \
  template <>                                                                     \
  const void* errand_kernel<SendQueue<sharing>>(GpuScope scope) {                 \
    return kernel_of<SendQueue<sharing>, SendQueueHandle<sharing>>(scope);        \
  }                                                                               \
  template <>                                                                     \
  const void* errand_kernel<CountedSendQueue<sharing>>(GpuScope scope) {          \
    return kernel_of<CountedSendQueue<sharing>, SendQueueHandle<sharing>>(scope); \
  }

RS_ERRANDS(Sharing::kExclusive)
RS_ERRANDS(Sharing::kBlock)
RS_ERRANDS(Sharing::kGpu)

}  // namespace ringside::test::gpu
