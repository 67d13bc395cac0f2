// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/steering/toeplitz.hpp"

namespace softcx {

ToeplitzTable::ToeplitzTable(const Key& key) {
  for (std::size_t byte = 0; byte < kMaxInput; ++byte) {
    std::uint64_t window = 0;  // the key's 40 bits from this byte on
    for (std::size_t i = 0; i < 5; ++i) {
      window = window << 8 | (byte + i < key.size() ? key[byte + i] : 0U);
    }
    table_[byte][0] = 0;
    for (unsigned value = 1; value < 256; ++value) {
      // The hash is linear: the lowest set bit on top of the value without it.
      const unsigned lowest = value & (~value + 1);
      const int bit = __builtin_ctz(value);
      table_[byte][value] =
          table_[byte][value ^ lowest] ^ static_cast<std::uint32_t>(window >> (bit + 1));
    }
  }
}

}  // namespace softcx
