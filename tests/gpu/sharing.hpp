// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Kernels whose scopes do what tests/unit/sharing_scopes.hpp has, each by itself or as its warp
// happens to run it.
#pragma once

#include "lib/device/queue_counters.hpp"
#include "lib/device/send_queue.hpp"
#include "tests/gpu/errand.hpp"
#include "tests/unit/sharing_scopes.hpp"

namespace ringside::test::gpu {

/// What such a kernel takes. Counters: one a block, of queues that are counted.
template <Sharing kSharing>
struct SharingArgs {
  SendQueueHandle<kSharing> handle;
  SharingOrders orders;
  QueueCounters* counters;
};

/// Of blocks that have as many scopes of the kind as fit. For what sharing.cu lists.
template <class What, Sharing kSharing>
const void* sharing_kernel(GpuScope scope);

}  // namespace ringside::test::gpu
