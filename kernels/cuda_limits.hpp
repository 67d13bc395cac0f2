// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the CUDA kernels are compiled for; the host checks it before a launch.
#pragma once

#include <cstdint>

namespace ringside {

/// Threads of a block at most. With these a thread has 128 registers, and the forwarding loop keeps
/// what it works on in them; with 1024 it would have 64, and spill at every step.
inline constexpr std::uint32_t kCudaBlockThreads = 512;

}  // namespace ringside
