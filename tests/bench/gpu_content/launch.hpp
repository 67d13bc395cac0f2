// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The GPU's side of the contents.
#pragma once

#include <cstdint>
#include <string>

#include "tests/bench/gpu_content/cases.hpp"

namespace ringside::bench {

/// Runs a block of `threads` (1: one thread alone); calls serve() until it has ended. Empty, or
/// what went wrong.
std::string run_on_gpu(Content content, std::uint32_t threads, const ContentArgs& args,
                       void (*serve)(void*), void* context);

}  // namespace ringside::bench
