// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The send WQE of a packet in two parts: two data segments, which the NIC joins (PRM, "Send WQE").
// It is one basic block still, so rings and indices are as for whole packets.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/mlx5/format/wqe.hpp"

namespace ringside {

struct SplitSendWqe {
  ControlSegment control;
  EthernetSegment ethernet;
  DataSegment header;
  DataSegment payload;  ///< there where the control segment says so
};
static_assert(sizeof(SplitSendWqe) == kWqeBasicBlock);
static_assert(offsetof(SplitSendWqe, header) == offsetof(SendWqe, data));
inline constexpr std::uint32_t kSplitSendWqeSegments = 4;

/// Bytes of the frame that a WQE of one or two data segments sends.
RS_HD constexpr std::uint32_t frame_bytes(const SplitSendWqe& wqe) {
  const bool split = (wqe.control.qpn_ds.value() & kMaxSegmentsPerWqe) == kSplitSendWqeSegments;
  return wqe.header.byte_count.value() + (split ? wqe.payload.byte_count.value() : 0);
}

}  // namespace ringside
