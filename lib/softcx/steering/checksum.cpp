// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/steering/checksum.hpp"

#include <algorithm>
#include <cstring>

#include "lib/mlx5/format/endian.hpp"

namespace softcx {
namespace {

/// A vector register of the baseline instruction set, and one of twice the size.
using Lanes [[gnu::vector_size(16)]] = std::uint64_t;
using WideLanes [[gnu::vector_size(32)]] = std::uint64_t;
constexpr std::size_t kBlock = 2 * sizeof(Lanes), kWideBlock = 2 * sizeof(WideLanes);

template <class Word>
Word load(const std::uint8_t* at) noexcept {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

/// Adds as many words as there are in whole pairs of registers, and takes them off.
template <class Register>
[[gnu::always_inline]] inline std::uint64_t add_blocks(const std::uint8_t*& at,
                                                       std::size_t& left) noexcept {
  constexpr std::size_t kBytes = sizeof(Register);
  // Two registers at a time, halves and pairs apart: four chains of additions that do not wait for
  // each other.
  Register low{}, high{}, low2{}, high2{}, first, second;
  for (; left >= 2 * kBytes; at += 2 * kBytes, left -= 2 * kBytes) {
    std::memcpy(&first, at, kBytes);
    std::memcpy(&second, at + kBytes, kBytes);
    low += first & 0xffffffffU;
    high += first >> 32;
    low2 += second & 0xffffffffU;
    high2 += second >> 32;
  }
  const Register all = (low + high) + (low2 + high2);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kBytes / sizeof(sum); ++i) sum += all[i];
  return sum;
}

#if defined(__x86_64__)
/// Half of the time for a long frame, on CPUs that have it: the build is for those that do not.
[[gnu::target("avx2")]] std::uint64_t add_wide_blocks(const std::uint8_t*& at,
                                                      std::size_t& left) noexcept {
  return add_blocks<WideLanes>(at, left);
}
const bool kHasWideLanes = __builtin_cpu_supports("avx2") != 0;
#else
std::uint64_t add_wide_blocks(const std::uint8_t*& at, std::size_t& left) noexcept {
  return add_blocks<WideLanes>(at, left);
}
constexpr bool kHasWideLanes = true;  // a pair of the registers that there are
#endif

}  // namespace

std::uint64_t checksum_add(std::uint64_t sum, std::span<const std::uint8_t> bytes) noexcept {
  const std::uint8_t* at = bytes.data();
  std::size_t left = bytes.size();
  if (left >= 2 * kWideBlock && kHasWideLanes) sum += add_wide_blocks(at, left);
  if (left >= kBlock) sum += add_blocks<Lanes>(at, left);
  // 32-bit halves in a 64-bit sum: no carry is lost below 2^32 of them.
  for (; left >= 8; at += 8, left -= 8) {
    const auto word = load<std::uint64_t>(at);
    sum += (word & 0xffffffffU) + (word >> 32);
  }
  if ((left & 4) != 0) {
    sum += load<std::uint32_t>(at);
    at += 4;
  }
  if ((left & 2) != 0) {
    sum += load<std::uint16_t>(at);
    at += 2;
  }
  return (left & 1) != 0 ? sum + *at : sum;
}

bool l4_checksum_right(const Frame& frame, const HeaderFacts& facts) noexcept {
  std::uint64_t sum = facts.l4_pseudo_sum;
  std::uint32_t skip = facts.l4_offset;
  std::uint32_t left = facts.l4_length;
  bool odd = false;  // a segment that starts in the middle of a word: its sum comes out swapped
  for (const Segment& segment : frame.segments) {
    if (skip >= segment.length) {
      skip -= segment.length;
      continue;
    }
    const std::uint32_t take = std::min(segment.length - skip, left);
    const std::uint16_t part = checksum_fold(checksum_add(0, {segment.data + skip, take}));
    sum += odd ? ringside::byte_swap(part) : part;
    odd ^= (take & 1) != 0;
    skip = 0;
    left -= take;
    if (left == 0) return checksum_right(sum);
  }
  return false;
}

}  // namespace softcx
