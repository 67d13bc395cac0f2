// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// RxQueue for a striding ring: many packets share a buffer. See lib/device/striding_queue.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/mlx5/format/striding_queue.hpp"
#include "lib/mlx5/receive_ring.hpp"
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

class StridingQueue : public ReceiveRing {
 public:
  /// What a queue of this shape takes from the arenas, padding included.
  static std::size_t ring_bytes(const StridingShape& shape) noexcept;
  static std::size_t kernel_bytes(const StridingShape& shape) noexcept;

  /// All buffers are posted and the queue is ready: packets arrive as soon as steering leads here.
  /// Throws Error, also where the device cannot stride or not in that shape.
  StridingQueue(const QueueDomain& domain, const QueueArenas& arenas,
                const StridingQueueConfig& config);

  StridingQueueHandle handle() const noexcept;

 private:
  const std::uint64_t* buffer_iova_;  ///< for kernels
};

}  // namespace ringside::mlx5
