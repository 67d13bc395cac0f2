// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Writes of one port that take another path than the completions which tell of them, as PCIe
// allows: they land later, by times that differ. What lands in which order among themselves stays,
// and a read of the NIC's pushes them before it. (PCI Express Base Specification, Transaction
// Ordering: no posted write passes one before it on its path, nor does a read.) Longer than on
// hardware, so that who does not wait reads what was there before. Of the engine thread.
#pragma once

#include <cstdint>
#include <deque>
#include <random>
#include <span>
#include <vector>

#include "lib/softcx/nic/nic_clock.hpp"

namespace softcx {

class LateWrites {
 public:
  static constexpr std::uint64_t kLeastNs = 5'000, kMostNs = 200'000;

  /// `seed`: of the times.
  LateWrites(const NicClock& clock, std::uint32_t seed) : clock_(clock), generator_(seed) {}

  void add(std::uint8_t* to, std::span<const std::uint8_t> bytes);
  /// Lands what is due. True: more is on its way.
  bool land_due() noexcept;
  void land_all() noexcept;

 private:
  struct Write {
    std::uint8_t* to;
    std::vector<std::uint8_t> bytes;
    std::uint64_t due_ns;
  };
  /// Of all that are on their way; beyond, the oldest land.
  static constexpr std::size_t kMostWrites = 4096;

  void land_oldest() noexcept;

  const NicClock& clock_;
  std::mt19937 generator_;
  std::deque<Write> writes_;
};

/// The late writes of a receive queue.
struct LatePath {
  LateWrites* writes = nullptr;   ///< nullptr: none is late
  std::uint32_t completions = 0;  ///< the GPU in whose memory they are written; 0: in RAM

  bool leads_to(std::uint32_t gpu) const noexcept {
    return writes != nullptr && gpu != completions;
  }
};

}  // namespace softcx
