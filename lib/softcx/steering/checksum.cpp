// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/steering/checksum.hpp"

#include <algorithm>
#include <cstring>

#include "lib/mlx5/format/endian.hpp"

namespace softcx {
namespace {

/// A vector register of the baseline instruction set.
using Lanes [[gnu::vector_size(16)]] = std::uint64_t;
constexpr std::size_t kWide = 2 * sizeof(Lanes);

template <class Word>
Word load(const std::uint8_t* at) noexcept {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

}  // namespace

std::uint64_t checksum_add(std::uint64_t sum, std::span<const std::uint8_t> bytes) noexcept {
  const std::uint8_t* at = bytes.data();
  std::size_t left = bytes.size();
  if (left >= kWide) {
    // Two registers at a time, halves and pairs apart: four chains of additions that do not wait
    // for each other.
    Lanes low{}, high{}, low2{}, high2{};
    for (; left >= kWide; at += kWide, left -= kWide) {
      const auto first = load<Lanes>(at), second = load<Lanes>(at + sizeof(Lanes));
      low += first & 0xffffffffU;
      high += first >> 32;
      low2 += second & 0xffffffffU;
      high2 += second >> 32;
    }
    const Lanes all = (low + high) + (low2 + high2);
    sum += all[0] + all[1];
  }
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
