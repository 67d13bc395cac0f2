// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Striding receive queues: packets share a WQE's buffer, each in strides of its own (PRM, "Striding
// RQ"; struct mlx5_mprq_wqe of rdma-core, the CQE as DPDK's drivers/net/mlx5 reads it).
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/mlx5/format/wqe.hpp"

namespace ringside {

/// A receive WQE of wq_type kCyclicStriding, with one buffer; longer ones have more entries.
struct StridingWqe {
  std::uint8_t next[16];  ///< of lists that are linked; a ring leaves it 0
  DataSegment data;       ///< all strides
};
static_assert(offsetof(StridingWqe, data) == 16 && sizeof(StridingWqe) == 32);
inline constexpr std::uint32_t kLogStridingWqe = 5;

/// Bytes in front of each packet, where the queue has two_byte_shift_en.
inline constexpr std::uint32_t kStrideShift = 2;

// Its CQE: wqe_id is the WQE's index, wqe_counter the packet's first stride, and byte_count has
// three parts. Who adds up the strides of the CQEs, error CQEs too, knows when a WQE is used up.
inline constexpr std::uint32_t kCqeFiller = 0x80000000U;  ///< strides given up; no packet
inline constexpr std::uint32_t kCqeStridesShift = 16;
inline constexpr std::uint32_t kCqeStridesMask = 0x3fff;
inline constexpr std::uint32_t kCqeLengthMask = 0xffff;

RS_HD constexpr std::uint32_t strided_byte_count(std::uint32_t strides, std::uint32_t length) {
  return strides << kCqeStridesShift | length;
}
RS_HD constexpr std::uint32_t strides_of(std::uint32_t byte_count) {
  return (byte_count >> kCqeStridesShift) & kCqeStridesMask;
}

/// The context's fields: logarithms, less what is the least. The number of strides may be less than
/// that (ext_stride_num_range), by which it wraps in its 4 bits.
inline constexpr std::uint32_t kLogStrideBytesBase = 6;
inline constexpr std::uint32_t kLogStridesBase = 9;
inline constexpr std::uint32_t kLogStridesLeast = 3;

RS_HD constexpr std::uint32_t stride_count_field(std::uint32_t log_strides) {
  return (log_strides - kLogStridesBase) & 0xf;
}
RS_HD constexpr std::uint32_t log_strides_of(std::uint32_t field) {
  constexpr std::uint32_t kFirstOfExtension = stride_count_field(kLogStridesLeast);
  return field < kFirstOfExtension ? field + kLogStridesBase
                                   : field - kFirstOfExtension + kLogStridesLeast;
}
static_assert(log_strides_of(stride_count_field(3)) == 3);
static_assert(log_strides_of(stride_count_field(8)) == 8);
static_assert(log_strides_of(stride_count_field(9)) == 9);
static_assert(log_strides_of(stride_count_field(16)) == 16);

}  // namespace ringside
