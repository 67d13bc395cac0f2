// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

namespace ringside::test {

inline constexpr std::align_val_t kPageAlignment{4096};
struct FreePages {
  void operator()(std::uint8_t* memory) const { ::operator delete(memory, kPageAlignment); }
};
using Pages = std::unique_ptr<std::uint8_t, FreePages>;

/// Whole pages, zeroed. By the operator that a program for GPUs replaces (tests/gpu).
inline Pages allocate_pages(std::size_t size) {
  const std::size_t rounded = (size + 4095) / 4096 * 4096;
  auto* const memory = static_cast<std::uint8_t*>(::operator new(rounded, kPageAlignment));
  std::memset(memory, 0, rounded);
  return Pages(memory);
}

}  // namespace ringside::test
