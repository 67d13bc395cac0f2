// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#pragma once

#include <concepts>

namespace ringside {

/// `alignment` is a power of two.
template <std::unsigned_integral T>
constexpr T round_up(T value, T alignment) noexcept {
  return (value + alignment - 1) & ~(alignment - 1);
}

}  // namespace ringside
