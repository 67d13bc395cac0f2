// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#pragma once

#include <concepts>
#include <cstddef>

namespace ringside {

/// Granule and least alignment of an allocation of GPU memory: what dma-bufs and nvidia_peermem pin
/// of cudaMalloc's, and GPUs made of host threads have the same.
inline constexpr std::size_t kGpuPage = std::size_t{64} << 10;

/// `alignment` is a power of two.
template <std::unsigned_integral T>
constexpr T round_up(T value, T alignment) noexcept {
  return (value + alignment - 1) & ~(alignment - 1);
}

}  // namespace ringside
