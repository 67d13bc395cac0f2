// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Whether the blocks of a kernel that does not end by itself can all be on the GPU together, beside
// those of others of the kind: one that is not would wait for ever for its turn. Blocks of several
// kernels may share a processor; that is not counted on.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

namespace ringside {

/// How many processors hold the blocks; `taken`: by kernels that run already. Throws usage_error.
std::size_t check_residency(CUfunction kernel, std::size_t blocks, std::uint32_t threads_per_block,
                            CUdevice device, std::size_t taken = 0);

}  // namespace ringside
