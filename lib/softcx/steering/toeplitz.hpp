// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The Toeplitz hash of receive side scaling, as Microsoft's RSS specification defines it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace softcx {

/// For each set bit of the input, from the first byte's highest on, the hash takes in the 32 bits
/// of the key that begin there. The table holds that for every value of every input byte: one
/// look-up a byte. 36 KiB, of which an IPv4 4-tuple touches 12.
class ToeplitzTable {
 public:
  static constexpr std::size_t kKeyBytes = 40;
  /// Longest input that the key covers: two IPv6 addresses and two ports.
  static constexpr std::size_t kMaxInput = kKeyBytes - 4;

  using Key = std::array<std::uint8_t, kKeyBytes>;

  explicit ToeplitzTable(const Key& key);

  /// At most kMaxInput bytes.
  std::uint32_t hash(std::span<const std::uint8_t> input) const noexcept {
    std::uint32_t result = 0;
    for (std::size_t i = 0; i < input.size(); ++i) result ^= table_[i][input[i]];
    return result;
  }

 private:
  std::array<std::array<std::uint32_t, 256>, kMaxInput> table_;
};

}  // namespace softcx
