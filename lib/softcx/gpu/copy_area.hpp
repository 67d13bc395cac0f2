// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a copy channel's two ends share: host memory that the CPU and the GPU both reach. The CPU
// (one engine thread) puts descriptors into a ring of chunks; warps of a resident kernel carry them
// out, each warp every so many chunks, and mark each chunk as done.
//
// The kernel may leave at any time between chunks: when it is asked to, and by itself when it has
// found nothing to do for kCopyIdleNs, or has lived for kCopyLifeNs, since CUDA waits for resident
// kernels in some of the application's calls. The next instance begins where the first chunk is not
// done.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/mlx5/format/target.hpp"

namespace softcx {

/// `length` bytes from staging memory to device memory, or back. Length 0: nothing to do.
struct CopyDescriptor {
  std::uint64_t device;   ///< the GPU's address
  std::uint32_t staging;  ///< offset in CopyArea::staging
  std::uint32_t length;   ///< with kToDevice or without

  static constexpr std::uint32_t kToDevice = 0x80000000U;
};
static_assert(sizeof(CopyDescriptor) == 16);

/// As many descriptors as a warp copies small packets at a time, and one read over PCIe brings.
inline constexpr std::uint32_t kCopyChunk = 8;
inline constexpr std::uint32_t kCopyRingChunks = 2048;
inline constexpr std::uint32_t kCopyStagingBytes = 12U << 20;
/// A short copy that keeps its place in a multiple of this is made of few, wide accesses.
inline constexpr std::uint32_t kCopyUnit = 16;

inline constexpr std::uint32_t kCopyBlocks = 16;  ///< that copy
inline constexpr std::uint32_t kCopyWarps = 8;    ///< of a block
/// The last block polls for the others: reads of one place over PCIe are carried out one by one.
inline constexpr std::uint32_t kCopyGrid = kCopyBlocks + 1;
inline constexpr std::uint64_t kCopyIdleNs = 1'000'000;
inline constexpr std::uint64_t kCopyLifeNs = 20'000'000;

/// What the CPU orders, in one word, so that the GPU reads it at once: chunks that are ready (lower
/// half, counted modulo 2^32), and the last kernel instance that is to leave (upper half).
RS_HD constexpr std::uint64_t copy_order(std::uint32_t ready, std::uint32_t leave) {
  return std::uint64_t{leave} << 32 | ready;
}
RS_HD constexpr std::uint32_t ready_chunks(std::uint64_t order) {
  return static_cast<std::uint32_t>(order);
}
/// Instances count modulo 2^32 too.
RS_HD constexpr bool must_leave(std::uint64_t order, std::uint32_t instance) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(order >> 32) - instance) >= 0;
}
/// What CopyArea::done holds of a chunk that has been carried out. Never 0.
RS_HD constexpr std::uint32_t done_mark(std::uint32_t chunk) {
  return chunk / kCopyRingChunks + 1;
}

struct CopyArea {
  alignas(128) std::uint64_t order;                  ///< CPU: release. GPU: acquire.
  alignas(128) std::uint32_t left[kCopyGrid];        ///< GPU: the instance that this block has left
  alignas(128) std::uint32_t done[kCopyRingChunks];  ///< GPU: release. CPU: acquire.
  alignas(128) CopyDescriptor ring[kCopyRingChunks * kCopyChunk];
  alignas(4096) std::uint8_t staging[kCopyStagingBytes];
};

/// The kernel's argument.
struct CopyKernelArgs {
  CopyArea* area;        ///< as the GPU sees it
  std::uint64_t* relay;  ///< the order word for the blocks that copy, in the GPU's memory
  std::uint32_t first_chunk;
  std::uint32_t instance;
};

}  // namespace softcx
