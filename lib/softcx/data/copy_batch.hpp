// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Copies that travel together, with a slice of staging memory of their own.
#pragma once

#include <array>
#include <cstdint>

#include "lib/mlx5/format/cqe.hpp"
#include "lib/softcx/data/copy_channel.hpp"
#include "lib/softcx/nic/objects.hpp"

namespace softcx {

struct CopyLane;

/// Most copies of a batch.
inline constexpr std::uint32_t kBatchCopies = 256;
/// The GPU begins with a batch's first copies while the next ones are being added.
inline constexpr std::uint32_t kCopiesToKick = 64;

struct CopyBatch {
  CopyLane* lane = nullptr;
  std::uint32_t begin = 0, size = 0;  ///< of the slice
  std::uint32_t used = 0;             ///< of its bytes
  std::uint32_t copies = 0;
  CopyChannel::Ticket ticket = 0;  ///< once closed

  /// Bytes of the slice that a copy of `length` takes.
  static constexpr std::uint64_t slot_bytes(std::uint64_t address, std::uint64_t length) {
    return (address % kCopyUnit + length + kSlot - 1) / kSlot * kSlot;
  }
  bool has_room(std::uint64_t bytes) const noexcept {
    return copies < kBatchCopies && bytes <= size - used;
  }
  /// An offset in staging memory with the same place in a unit as `address`. There is room.
  std::uint32_t take_slot(std::uint64_t address, std::uint32_t length) noexcept {
    const std::uint32_t at = begin + used + static_cast<std::uint32_t>(address % kCopyUnit);
    used += static_cast<std::uint32_t>(slot_bytes(address, length));
    return at;
  }
  void clear() noexcept { used = copies = 0; }

 private:
  static constexpr std::uint64_t kSlot = 64;
};

/// A range of device memory that a send WQE names, and where its bytes are. nullptr: they were not
/// fetched, since the frame is longer than any that is sent.
struct StagedRead {
  const std::uint8_t* on_gpu;
  const std::uint8_t* staged;
  std::uint32_t length;
};

/// What some WQEs of one send queue read from device memory.
struct SendBatch : CopyBatch {
  enum class Use : std::uint8_t { kFree, kFetching, kSent } use = Use::kFree;
  Sq* sq = nullptr;
  std::uint64_t end = 0;  ///< Sq::consumer behind its last WQE
  std::array<StagedRead, kBatchCopies> reads;
  std::uint32_t read_count = 0;
  std::uint32_t next_read = 0;   ///< while its WQEs are executed
  SendBatch* next = nullptr;     ///< of the same queue
  CopyChannel::Ticket sent = 0;  ///< copies of its frames into other device memory: it is free then
};

/// A completion that waits for a batch. All of it is written but the byte that makes it valid.
struct HeldCompletion {
  ringside::Cqe* entry;
  Cq* cq;
  Rq* rq;  ///< of a packet; nullptr: another completion, that only keeps its place
  std::uint32_t length;
  std::uint8_t op_own;
};

/// What received packets write to device memory.
struct WriteBatch : CopyBatch {
  std::array<HeldCompletion, kBatchCopies> held;
  std::uint32_t held_count = 0;
  WriteBatch* next = nullptr;  ///< in the order of their completions
};

}  // namespace softcx
