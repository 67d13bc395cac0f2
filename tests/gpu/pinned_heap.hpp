// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// From use() on, all that this program allocates lies in memory that its GPU reaches by the same
// addresses: rings, records and packets of a rig that knows nothing of GPUs.
#pragma once

#include <cstddef>

namespace ringside::test::gpu::pinned_heap {

/// False: there is no GPU.
bool use(std::size_t bytes);

}  // namespace ringside::test::gpu::pinned_heap
