// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Writes of the NIC that take another path than the completions which tell of them, as PCIe allows:
// they land later, by times that differ. What lands in which order among themselves stays, and a
// read of the NIC's pushes them before it, whichever port wrote and whichever reads: its ports
// share one link. (PCI Express Base Specification, Transaction Ordering: no posted write passes one
// before it on its path, nor does a read.) Longer than on hardware, so that who does not wait reads
// what was there before. Of all engine threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <random>
#include <span>
#include <vector>

namespace softcx {

class LateWrites {
 public:
  static constexpr std::uint64_t kLeastNs = 5'000, kMostNs = 200'000;

  /// `now_ns`: of NicClock, as everywhere here.
  void add(std::uint8_t* to, std::span<const std::uint8_t> bytes, std::uint64_t now_ns);
  /// Lands what is due. True: more is on its way.
  bool land_due(std::uint64_t now_ns) noexcept;
  void land_all() noexcept;

 private:
  struct Write {
    std::uint8_t* to;
    std::vector<std::uint8_t> bytes;
    std::uint64_t due_ns;
  };
  /// Of all that are on their way; beyond, the oldest land.
  static constexpr std::size_t kMostWrites = 4096;

  /// Has all landed that whoever asks may know of?
  bool none() const noexcept {
    // Acquire: pairs with land_oldest(); who finds nothing here finds the bytes in memory.
    return under_way_.load(std::memory_order_acquire) == 0;
  }
  void land_oldest() noexcept;

  std::atomic<std::size_t> under_way_{0};  ///< size of `writes_`, so that most looks need no lock
  std::mutex mutex_;                       ///< of all below
  std::mt19937 generator_;
  std::deque<Write> writes_;
};

/// The late writes of a receive queue.
struct LatePath {
  LateWrites* writes = nullptr;   ///< nullptr: none is late
  std::uint32_t completions = 0;  ///< the GPU in whose memory they are written; 0: in RAM
  std::uint64_t now_ns = 0;

  bool leads_to(std::uint32_t gpu) const noexcept {
    return writes != nullptr && gpu != completions;
  }
};

}  // namespace softcx
