// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Kernels that check what tests/unit/block_checks.hpp describes.
#pragma once

#include "tests/gpu/launch.hpp"
#include "tests/unit/block_checks.hpp"

namespace ringside::test::gpu {

/// On blocks of up to kMostCheckers threads; its argument is a Checks. For what the files list that
/// include checks.cuh.
template <class What>
const void* check_kernel();

}  // namespace ringside::test::gpu
