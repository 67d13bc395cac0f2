// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// One engine thread's way to one GPU: the channel and the batches that share its staging memory.
// Free batches are taken last in, first out: those whose staging memory the caches still hold.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "lib/softcx/data/copy_batch.hpp"

namespace softcx {

struct CopyLane {
  static constexpr std::uint32_t kSendBatches = 16, kWriteBatches = 8;
  /// Room for a multi-packet WQE of 61 frames of 10,000 bytes.
  static constexpr std::uint32_t kSendSlice = 640U << 10;
  static constexpr std::uint32_t kWriteSlice = 256U << 10;
  static_assert(kSendBatches * kSendSlice + kWriteBatches * kWriteSlice <= kCopyStagingBytes);
  // Each kick may leave a chunk with one copy only.
  static_assert((kSendBatches + kWriteBatches) *
                    (kBatchCopies / kCopyChunk + kBatchCopies / kCopiesToKick + 1) <=
                kCopyRingChunks);

  CopyLane(CopyEngine& engine_in, std::unique_ptr<CopyWorker> worker);

  SendBatch* take_send_batch() noexcept;
  WriteBatch* take_write_batch() noexcept;
  void give_back(SendBatch& batch) noexcept;
  void give_back(WriteBatch& batch) noexcept;

  CopyEngine& engine;
  CopyChannel channel;
  std::unique_ptr<std::array<SendBatch, kSendBatches>> send_batches;
  std::unique_ptr<std::array<WriteBatch, kWriteBatches>> write_batches;

 private:
  std::vector<SendBatch*> free_send_batches_;
  std::vector<WriteBatch*> free_write_batches_;
};

/// A process has few GPUs.
using CopyLanes = std::vector<std::unique_ptr<CopyLane>>;

/// nullptr: `engine` is not attached.
CopyLane* find_lane(const CopyLanes& lanes, const CopyEngine* engine) noexcept;

}  // namespace softcx
