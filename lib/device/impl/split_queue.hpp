// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/split_queue.hpp
//
// The doorbell that post() writes is the same for WQEs of one data segment and of two: NICs take
// the queue and the index from it, and NVIDIA's device libraries write nothing else into it.
#pragma once

#include "lib/device/impl/split_write.hpp"
#include "lib/device/split_queue.hpp"

namespace ringside {

RS_DEVICE std::uint64_t SplitTxQueue::bytes_lost(const TxProgress& progress) const {
  std::uint64_t bytes = 0;
  for (std::uint64_t index = progress.completed; index < posted(); ++index) {
    bytes += frame_bytes(*split_wqe_at(handle(), index));
  }
  return bytes;
}

RS_DEVICE void SplitTxQueue::write(std::uint32_t i, const SplitPacket& packet, bool completes,
                                   const TxOffload& offload) const {
  const std::uint64_t index = posted() + i;
  write_split_wqe(handle(), index, packet, completes ? kCeAlways : kCeOnError, offload);
  handle().wqe_slot[place(index)] = packet.slot();
}

}  // namespace ringside
