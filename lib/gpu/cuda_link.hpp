// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Joins machine code that was compiled at run time to what was built in, and to the user's.
#pragma once

#include <cuda.h>

#include <span>
#include <vector>

#include "lib/gpu/kernel_source.hpp"

namespace ringside {

/// `code`: of compile_for_cuda(). In the current context; the module is the caller's to unload.
/// Throws usage_error with what the linker says, such as a function that is in none of `objects`.
CUmodule link_kernel(std::span<const char> code, const std::vector<KernelSource::Object>& objects);

}  // namespace ringside
