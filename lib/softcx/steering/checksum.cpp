// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/steering/checksum.hpp"

#include <algorithm>
#include <cstring>

#include "lib/mlx5/format/endian.hpp"

namespace softcx {
namespace {

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

std::uint16_t checksum_fold(std::uint64_t sum) noexcept {
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

bool checksum_right(std::uint64_t sum) noexcept {
  return checksum_fold(sum) == 0xffff;
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
