// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Remembers where batches began, to judge that a poster's come once each and in order.
#pragma once

#include <cstdint>

#include "tests/bench/gpu_send/sequence.cuh"

namespace ringside::bench {

/// Batches of a poster that are remembered, to judge their order: more than a ring can hold.
inline constexpr std::uint32_t kOrderWindow = 4096;

/// Which WQE each batch of each poster began with.
class BatchOrder {
 public:
  __device__ BatchOrder(std::uint64_t* entries, std::uint32_t batch)
      : entries_(entries), batch_(batch) {}

  __device__ bool starts(std::uint64_t address) const { return sequence_of(address) % batch_ == 0; }
  /// false: it has been seen before.
  __device__ bool remember(std::uint64_t address, std::uint64_t index) const {
    const std::uint64_t batch = sequence_of(address) / batch_;
    const std::uint64_t before =
        atomicExch(reinterpret_cast<unsigned long long*>(place(address, batch)),
                   static_cast<unsigned long long>(entry(batch, index)));
    return before == 0 || before >> kIndexBits != (batch & kBatchMask);
  }
  /// Has the poster's batch before been seen, in lower slots?
  __device__ bool follows(std::uint64_t address, std::uint64_t index) const {
    const std::uint64_t batch = sequence_of(address) / batch_;
    if (batch == 0) return true;
    const std::uint64_t before =
        __ldcg(reinterpret_cast<const unsigned long long*>(place(address, batch - 1)));
    return before != 0 && before >> kIndexBits == ((batch - 1) & kBatchMask) &&
           before < entry(batch - 1, index);
  }

 private:
  static constexpr std::uint32_t kIndexBits = 40;
  static constexpr std::uint64_t kBatchMask = (std::uint64_t{1} << (64 - kIndexBits)) - 1;

  __device__ std::uint64_t* place(std::uint64_t address, std::uint64_t batch) const {
    return entries_ + std::uint64_t{poster_of(address)} * kOrderWindow + batch % kOrderWindow;
  }
  __device__ static std::uint64_t entry(std::uint64_t batch, std::uint64_t index) {
    return batch << kIndexBits | (index + 1);
  }

  std::uint64_t* entries_;
  std::uint32_t batch_;
};

}  // namespace ringside::bench
