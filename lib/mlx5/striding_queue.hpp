// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// RxQueue for a striding ring: many packets share a buffer. See lib/device/striding_queue.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/mlx5/format/striding_queue.hpp"
#include "lib/mlx5/queue_domain.hpp"
#include "lib/mlx5/ring_memory.hpp"
#include "lib/mlx5/rq.hpp"
#include "lib/mlx5/rx_queue.hpp"

namespace ringside::mlx5 {

/// A ring of 2^log_buffers buffers of 2^log_count strides.
struct StridingShape {
  std::uint32_t log_buffers;  ///< 1 at least: the NIC fills one while software has another
  RqStrides strides;

  std::uint32_t log_cq_depth() const noexcept { return log_buffers + strides.log_count; }
  /// Bytes: the longest packet, padding included.
  std::uint32_t buffer_length() const noexcept {
    return 1U << (strides.log_count + strides.log_bytes);
  }
};

struct StridingQueueConfig {
  StridingShape shape;
  /// 2^log_buffers of them, each as long as its strides at least. A packet for which a whole buffer
  /// is too small is dropped, by an error CQE that costs what is left of one.
  SlotBuffers buffers;
  std::uint32_t q_counter;  ///< id of the counter of its drops
  bool strip_vlan = false;  ///< as RxQueueConfig's
};

class StridingQueue {
 public:
  /// What a queue of this shape takes from the arenas, padding included.
  static std::size_t ring_bytes(const StridingShape& shape) noexcept;
  static std::size_t kernel_bytes(const StridingShape& shape) noexcept;

  /// All buffers are posted and the queue is ready: packets arrive as soon as steering leads here.
  /// Throws Error, also where the device cannot stride or not in that shape.
  StridingQueue(const QueueDomain& domain, const QueueArenas& arenas,
                const StridingQueueConfig& config);

  std::uint32_t number() const noexcept { return rq_.number(); }
  StridingQueueHandle handle() const noexcept;
  /// As RxQueue's.
  bool stopped() const { return rq_.state() != prm::QueueState::kReady; }
  bool completions_overrun() const { return cq_.overrun(); }
  void recover();

 private:
  std::uint32_t log_buffers() const noexcept { return config_.shape.log_buffers; }
  void post_all();

  StridingQueueConfig config_;
  std::vector<std::uint64_t> iova_;  ///< of the buffers: what the configuration refers to may go
  RingMemory ring_;
  RingMemory record_;
  RingMemory cq_ring_;
  RingMemory cq_record_;
  RingMemory state_;
  RingMemory buffers_state_;
  RingMemory cqe_references_;
  RingMemory addresses_;  ///< iova_, for kernels
  std::uint64_t cq_offset_ = 0;
  Cq cq_;
  Rq rq_;
};

}  // namespace ringside::mlx5
