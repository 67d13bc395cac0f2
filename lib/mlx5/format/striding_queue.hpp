// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a kernel needs to own a striding receive queue; as the handles of queue.hpp.
#pragma once

#include <cstdint>
#include <type_traits>

#include "lib/mlx5/format/queue.hpp"
#include "lib/mlx5/format/striding.hpp"

namespace ringside {

/// 2^log_buffers buffers, each of 2^log_strides strides. Buffer i is WQE i's for the queue's life.
struct StridingBuffers {
  const std::uint64_t* iova;  ///< [2^log_buffers] the NIC's address of each buffer
  /// As completions.state: strides of CQEs that were released in order. Doorbell record = buffers
  /// that they fill + 2^log_buffers.
  std::uint64_t* released;
  std::uint32_t log_buffers;
  std::uint32_t log_strides;
  std::uint32_t log_stride_bytes;
  std::uint32_t padding;  ///< bytes of zeros in front of each packet: 0 or kStrideShift
};

/// A ring of buffers and its CQ, which has an entry for each stride.
struct StridingQueueHandle {
  /// Its slots are CQEs: log_depth is log_cq_depth, and there is no slot_iova.
  RxQueueHandle completions;
  StridingBuffers buffers;
};
static_assert(std::is_trivially_copyable_v<StridingQueueHandle>);

}  // namespace ringside
