// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// How a bench's posters number what they send, so that the NIC model can tell whether anything was
// lost, doubled, torn or out of order: the address of a packet says who posted it, as which.
#pragma once

#include <cstdint>

namespace ringside::bench {

inline constexpr std::uint32_t kPosterShift = 40;
inline constexpr std::uint32_t kSequenceShift = 6;

__host__ __device__ inline std::uint64_t address_of(std::uint32_t poster, std::uint64_t sequence) {
  return std::uint64_t{poster} << kPosterShift | sequence << kSequenceShift;
}
__host__ __device__ inline std::uint32_t poster_of(std::uint64_t address) {
  return static_cast<std::uint32_t>(address >> kPosterShift);
}
__host__ __device__ inline std::uint64_t sequence_of(std::uint64_t address) {
  return (address & ((std::uint64_t{1} << kPosterShift) - 1)) >> kSequenceShift;
}
/// Bytes of a packet: 64 to 127, so that a WQE with the length of another is found out.
__host__ __device__ inline std::uint32_t length_of(std::uint64_t sequence) {
  return 64 + static_cast<std::uint32_t>(sequence & 63);
}

}  // namespace ringside::bench
