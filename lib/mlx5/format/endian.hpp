// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Big-endian integers as they lie in WQEs, CQEs, doorbell records and PRM commands.
#pragma once

#include <cstdint>

#include "lib/mlx5/format/target.hpp"

namespace ringside {

RS_HD constexpr std::uint16_t byte_swap(std::uint16_t v) {
  return static_cast<std::uint16_t>((v << 8) | (v >> 8));
}
RS_HD constexpr std::uint32_t byte_swap(std::uint32_t v) {
#if defined(__CUDA_ARCH__)
  if (!__builtin_is_constant_evaluated()) return __byte_perm(v, 0, 0x0123);  // one instruction
#endif
  return ((v & 0xffU) << 24) | ((v & 0xff00U) << 8) | ((v >> 8) & 0xff00U) | (v >> 24);
}
RS_HD constexpr std::uint64_t byte_swap(std::uint64_t v) {
  return (std::uint64_t{byte_swap(static_cast<std::uint32_t>(v))} << 32) |
         byte_swap(static_cast<std::uint32_t>(v >> 32));
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Ringside has been written for little-endian hosts: GPU and CPU share structures"
#endif

/// A big-endian integer in memory; `raw` is what lies there. Trivial, so it can be part of formats.
template <class T>
struct BigEndian {
  T raw;

  RS_HD static constexpr BigEndian of(T value) { return BigEndian{byte_swap(value)}; }
  RS_HD constexpr T value() const { return byte_swap(raw); }
};

using Be16 = BigEndian<std::uint16_t>;
using Be32 = BigEndian<std::uint32_t>;
using Be64 = BigEndian<std::uint64_t>;

}  // namespace ringside
