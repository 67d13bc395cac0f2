// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// CqeTail on an NVIDIA GPU, where the entry may be a PCIe round trip away: the half of it that says
// everything but hash, checksums and VLAN comes with one load, see CudaBlock::look.
//
// Why what comes with a turned op_own may be trusted: bytes 32 to 63 are one aligned sector, the
// unit in which a GPU's memory system reads; two neighbouring lanes ask for its halves with one
// instruction, which makes one request, and over PCIe one read of one cache line. Its answer is
// the line at one time, and op_own is its last byte to be written, by the NIC as by softcx: the
// NIC writes an entry whole or upwards, softcx stores op_own with release after the rest.
#pragma once

#include <cstddef>

#include "lib/device/cqe_tail.hpp"

namespace ringside {

inline constexpr std::size_t kCqeTailOffset = 32;
static_assert(offsetof(Cqe, byte_count) == kCqeTailOffset + 3 * sizeof(std::uint32_t));
static_assert(kErrorCqeVendorSyndromeOffset == 54 && kErrorCqeSyndromeOffset == 55);

struct CqeTail {
  RS_DEVICE std::uint8_t op_own() const { return static_cast<std::uint8_t>(words_[3] >> 24); }
  RS_DEVICE std::uint32_t length() const { return byte_swap(byte_count_); }
  RS_DEVICE std::uint16_t wqe_counter() const {
    return byte_swap(static_cast<std::uint16_t>(words_[3]));
  }
  RS_DEVICE QueueError error() const {
    return {static_cast<std::uint8_t>(words_[1] >> 24), static_cast<std::uint8_t>(words_[1] >> 16),
            wqe_counter()};
  }

  std::uint32_t byte_count_;  // as it lies in bytes 44 to 47
  std::uint32_t words_[4];    // bytes 48 to 63
};

}  // namespace ringside
