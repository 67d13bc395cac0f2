// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "tests/gpu/errands.cuh"

namespace ringside::test::gpu {

#define RS_ERRANDS(Queue, Handle)                    \
  template <>                                        \
  const void* errand_kernel<Queue>(GpuScope scope) { \
    return kernel_of<Queue, Handle>(scope);          \
  }

RS_ERRANDS(ReceiveQueue, RxQueueHandle)
RS_ERRANDS(SplitReceiveQueue, RxQueueHandle)
RS_ERRANDS(StridingReceiveQueue, StridingQueueHandle)
RS_ERRANDS(CountedReceiveQueue, RxQueueHandle)
RS_ERRANDS(CountedStridingReceiveQueue, StridingQueueHandle)

}  // namespace ringside::test::gpu
