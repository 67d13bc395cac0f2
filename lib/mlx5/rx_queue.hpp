// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A receive queue with its CQ and the words that a kernel keeps about it: ready for a kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lib/mlx5/receive_ring.hpp"

namespace ringside::mlx5 {

/// The buffers of a receive queue: slot i receives at iova[i] for the queue's life.
struct SlotBuffers {
  std::span<const std::uint64_t> iova;  ///< 2^log_depth addresses, as the NIC is told
  std::uint32_t length;                 ///< bytes each can take
  std::uint32_t lkey;
  std::int64_t view_offset;  ///< kernel pointer = iova + view_offset
};

/// Buffers that a slot has: one for whole packets, or two, the first for headers, the second for
/// what comes after them. They may lie in memory of different kinds.
inline constexpr std::size_t kMaxSlotParts = 2;

struct RxQueueConfig {
  std::uint32_t log_depth;
  /// 1 to kMaxSlotParts, in the order in which the NIC fills them. A packet that is longer than all
  /// of them is dropped, by an error CQE that costs its slot's turn only.
  std::span<const SlotBuffers> parts;
  std::uint32_t q_counter;  ///< id of the counter of its drops
  /// The NIC takes a packet's outermost 802.1Q tag out, and says so: Packet::vlan_tci().
  bool strip_vlan = false;
};

class RxQueue : public ReceiveRing {
 public:
  /// What a queue of this depth takes from the arenas, padding included.
  static std::size_t ring_bytes(std::uint32_t log_depth, std::size_t parts = 1) noexcept;
  static std::size_t kernel_bytes(std::uint32_t log_depth, std::size_t parts = 1) noexcept;

  /// All slots are posted and the queue is ready: packets arrive as soon as steering leads here.
  /// Throws Error.
  RxQueue(const QueueDomain& domain, const QueueArenas& arenas, const RxQueueConfig& config);
};

}  // namespace ringside::mlx5
