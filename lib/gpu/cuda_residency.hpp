// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Whether the blocks of a kernel that does not end by itself can all be on the GPU together: one
// that is not would wait for ever for its turn.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

namespace ringside {

/// Throws usage_error.
void check_residency(CUfunction kernel, std::size_t blocks, std::uint32_t threads_per_block,
                     CUdevice device);

}  // namespace ringside
