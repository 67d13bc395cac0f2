// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "tests/gpu/checks.cuh"
#include "tests/unit/shared_recovery_checks.hpp"

namespace ringside::test::gpu {

template const void* check_kernel<UsesASharedQueue>();

}  // namespace ringside::test::gpu
