// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Words that the NIC shares with the application (a CPU or a GPU): rings, records, UAR pages.
// Each helper is one half of a pair whose other half is in the driver (PMD, lib/device, rdma-core).
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

#include "lib/mlx5/format/endian.hpp"

namespace softcx {

/// Pairs with the driver's store after a write barrier: what the driver wrote before the record
/// (WQEs, or its reads of CQEs) is seen (or is over) once the record's new value is.
inline std::uint32_t load_record(ringside::Be32& word) noexcept {
  const ringside::Be32 value{
      std::atomic_ref<std::uint32_t>(word.raw).load(std::memory_order_acquire)};
  return value.value();
}

/// Index of a doorbell record: the upper half of the dword means nothing to the NIC.
inline std::uint16_t load_index(ringside::Be32& word) noexcept {
  return static_cast<std::uint16_t>(load_record(word));
}

/// A word of a UAR page, without order.
inline std::uint64_t load_word(std::uint64_t& word) noexcept {
  return std::atomic_ref<std::uint64_t>(word).load(std::memory_order_relaxed);
}

/// Unaligned big-endian reads from a WQE, which a record's acquire has made stable.
inline std::uint32_t read_be32(const std::uint8_t* at) noexcept {
  std::uint32_t raw = 0;
  std::memcpy(&raw, at, sizeof(raw));
  return ringside::byte_swap(raw);
}
inline std::uint64_t read_be64(const std::uint8_t* at) noexcept {
  std::uint64_t raw = 0;
  std::memcpy(&raw, at, sizeof(raw));
  return ringside::byte_swap(raw);
}

}  // namespace softcx
