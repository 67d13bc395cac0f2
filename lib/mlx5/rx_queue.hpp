// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A receive queue with its CQ and the words that a kernel keeps about it: ready for a kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lib/mlx5/format/nic_time.hpp"
#include "lib/mlx5/format/queue.hpp"
#include "lib/mlx5/queue_domain.hpp"
#include "lib/mlx5/ring_memory.hpp"
#include "lib/mlx5/rq.hpp"

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

class RxQueue {
 public:
  /// What a queue of this depth takes from the arenas, padding included.
  static std::size_t ring_bytes(std::uint32_t log_depth, std::size_t parts = 1) noexcept;
  static std::size_t kernel_bytes(std::uint32_t log_depth, std::size_t parts = 1) noexcept;

  /// All slots are posted and the queue is ready: packets arrive as soon as steering leads here.
  /// Throws Error.
  RxQueue(const QueueDomain& domain, const QueueArenas& arenas, const RxQueueConfig& config);

  std::uint32_t number() const noexcept { return rq_.number(); }
  RxQueueHandle handle() const noexcept;
  /// What kernels need besides, to tell packets' time stamps.
  const StampToNs& stamp_to_ns() const noexcept { return stamp_to_ns_; }
  /// The device has stopped the queue on an error, whether or not a kernel has seen it, or a
  /// recovery has not come to its end.
  bool stopped() const { return rq_.state() != prm::QueueState::kReady; }
  /// Its completion queue is dead, and recover() cannot help.
  bool completions_overrun() const { return cq_.overrun(); }
  /// After an error: through reset to ready again, every slot free and posted. No kernel may run.
  void recover();
  /// The two ends of a recovery with the kernel's help (queue_recovery.hpp), and in between where
  /// the kernel says that the CQ goes on.
  void reset() { rq_.reset(); }
  void set_cq_offset(std::uint64_t cq_offset) noexcept { cq_offset_ = cq_offset; }
  void go_on() { rq_.make_ready(); }

 private:
  /// A part of all slots.
  struct Part {
    Part(const QueueArenas& arenas, const SlotBuffers& buffers);
    std::vector<std::uint64_t> iova;
    std::uint32_t length;
    std::uint32_t lkey;
    std::int64_t view_offset;
    RingMemory addresses;  ///< iova, for kernels
  };
  void post_all();

  std::uint32_t log_depth_;
  StampToNs stamp_to_ns_;
  RingMemory ring_;
  RingMemory record_;
  RingMemory cq_ring_;
  RingMemory cq_record_;
  RingMemory state_;
  RingMemory slot_references_;
  std::vector<Part> parts_;
  std::uint64_t cq_offset_ = 0;
  Cq cq_;
  Rq rq_;
};

}  // namespace ringside::mlx5
