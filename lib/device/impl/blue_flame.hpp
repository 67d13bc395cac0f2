// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A doorbell that brings the WQE with it, so that the NIC need not fetch it from the ring.
//
// Only a batch of one basic block: behind it the NIC would have to fetch all the same. Two buffers
// take turns, by the WQE's index, since a write may still be on its way out of a write-combining
// buffer when the next one begins. The write's first 8 bytes are the doorbell; the ring and the
// record are written before as for any other (PRM, "BlueFlame").
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/device/impl/tx_wqe.hpp"
#include "lib/device/memory.hpp"
#include "lib/device/scope.hpp"
#include "lib/device/tx_send.hpp"
#include "lib/mlx5/format/queue.hpp"

namespace ringside {

inline constexpr std::uint32_t kBlueFlameWords = kWqeBasicBlock / sizeof(std::uint64_t);

RS_DEVICE bool takes_blue_flame(const TxQueueHandle& queue, const TxBatch& batch) {
  return queue.doorbell_kind == DoorbellKind::kBlueFlame && batch.count == 1;
}

RS_DEVICE const std::uint64_t* blue_flame_source(const TxQueueHandle& queue, std::uint64_t index) {
  return reinterpret_cast<const std::uint64_t*>(wqe_at(queue, index));
}
RS_DEVICE std::uint64_t* blue_flame_buffer(const TxQueueHandle& queue, std::uint64_t index) {
  return queue.doorbell + (index & 1) * (kBlueFlameBufferBytes / sizeof(std::uint64_t));
}

#if defined(__CUDACC__)

/// Hands the one WQE at `index` to the NIC. All threads of the scope, behind a barrier that comes
/// after the WQE was written.
///
/// Eight neighbours store 8 bytes each, which leave the GPU as one write of 64; a lone thread's
/// stores may leave one by one, which costs the NIC a fetch, and nothing else.
template <Scope S>
RS_DEVICE void blue_flame(S& scope, const TxQueueHandle& queue, std::uint64_t index) {
  // Eight ranks of one warp, or one alone.
  const std::uint32_t lanes = scope.size() % kBlueFlameWords != 0 ? 1 : kBlueFlameWords;
  const std::uint32_t first = scope.size() - lanes;
  if (scope.rank() < first) return;
  const std::uint32_t lane = scope.rank() - first;
  const std::uint64_t* const source = blue_flame_source(queue, index);
  std::uint64_t* const buffer = blue_flame_buffer(queue, index);
  if (lane == 0) write_send_record(queue, index + 1);
  // The lanes learn that the record is written; the fence of each before its store makes that, and
  // the WQE, come first for the NIC too.
  if (lanes != 1) __syncwarp(0xffU << ((threadIdx.x & 31U) - lane));
  if (queue.in_gpu_memory) {
    fence_release_device();
  } else {
    fence_release_system();
  }
  for (std::uint32_t word = lane; word < kBlueFlameWords; word += lanes) {
    store_relaxed_system(buffer + word, source[word]);
  }
}

#else

/// Hands the one WQE at `index` to the NIC. All threads of the scope, behind a barrier that comes
/// after the WQE was written; one of them does it, since stores of several CPUs would not combine.
template <Scope S>
inline void blue_flame(S& scope, const TxQueueHandle& queue, std::uint64_t index) {
  if (scope.rank() != scope.size() - 1) return;
  write_send_record(queue, index + 1);
  store_blue_flame(blue_flame_buffer(queue, index), blue_flame_source(queue, index));
}

#endif

}  // namespace ringside
