// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Big-endian numbers of a packet, at any alignment: a GPU faults on a load that is not aligned, and
// nothing promises that a packet is.
#pragma once

#include <cstdint>

#include "lib/device/target.hpp"

namespace ringside::stages {

RS_DEVICE std::uint16_t load16(const std::uint8_t* at) {
  return static_cast<std::uint16_t>(at[0] << 8 | at[1]);
}
RS_DEVICE std::uint32_t load32(const std::uint8_t* at) {
  return std::uint32_t{load16(at)} << 16 | load16(at + 2);
}
RS_DEVICE std::uint64_t load64(const std::uint8_t* at) {
  return std::uint64_t{load32(at)} << 32 | load32(at + 4);
}
RS_DEVICE void store16(std::uint8_t* at, std::uint16_t value) {
  at[0] = static_cast<std::uint8_t>(value >> 8);
  at[1] = static_cast<std::uint8_t>(value);
}

RS_DEVICE void swap_bytes(std::uint8_t* a, std::uint8_t* b, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint8_t byte = a[i];
    a[i] = b[i];
    b[i] = byte;
  }
}

}  // namespace ringside::stages
