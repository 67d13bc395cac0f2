// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Internet checksums (RFC 1071) of what the NIC verifies on receive.
#pragma once

#include <cstdint>
#include <span>

#include "lib/softcx/nic/frame.hpp"
#include "lib/softcx/steering/classify.hpp"

namespace softcx {

/// Adds the 16-bit words of `bytes` to `sum`, in memory order: sums are compared, never sent.
/// A last odd byte counts as the first half of a word.
std::uint64_t checksum_add(std::uint64_t sum, std::span<const std::uint8_t> bytes) noexcept;

/// The sum as one 16-bit word, carries added in.
inline std::uint16_t checksum_fold(std::uint64_t sum) noexcept {
  sum = (sum & 0xffffffff) + (sum >> 32);
  sum = (sum & 0xffff) + (sum >> 16);  // below 2^18
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

/// Are the words summed up, their checksum among them, the one's complement zero?
inline bool checksum_right(std::uint64_t sum) noexcept {
  return checksum_fold(sum) == 0xffff;
}

/// Verifies the TCP or UDP checksum of a frame that was longer than the headers that classify()
/// got, where facts.l4_length is not 0.
bool l4_checksum_right(const Frame& frame, const HeaderFacts& facts) noexcept;

}  // namespace softcx
