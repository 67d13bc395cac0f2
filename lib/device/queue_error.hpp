// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Error CQEs (PRM, "Completion with Error"): what went wrong with a queue.
#pragma once

#include <cstdint>

#include "lib/device/target.hpp"
#include "lib/mlx5/format/cqe.hpp"

namespace ringside {

struct QueueError {
  std::uint8_t syndrome;  ///< CqeSyndrome
  std::uint8_t vendor;
  std::uint16_t wqe_counter;
};

// Of an error CQE that this thread, or one before a barrier, has acquired; of others they say
// nothing.
RS_DEVICE std::uint8_t error_syndrome(const Cqe& cqe) {
  return reinterpret_cast<const std::uint8_t*>(&cqe)[kErrorCqeSyndromeOffset];
}

RS_DEVICE QueueError queue_error(const Cqe& cqe) {
  return {error_syndrome(cqe),
          reinterpret_cast<const std::uint8_t*>(&cqe)[kErrorCqeVendorSyndromeOffset],
          cqe.wqe_counter.value()};
}

/// Of what has stopped a receive queue: was there a packet, which is lost? What a queue is flushed
/// of was never received; and where no CQE says why it has stopped (syndrome 0), none came.
RS_DEVICE bool is_of_a_packet(const QueueError& error) {
  return error.syndrome != 0 &&
         static_cast<CqeSyndrome>(error.syndrome) != CqeSyndrome::kWorkRequestFlushed;
}

/// As one word that can be handed over atomically.
RS_DEVICE std::uint32_t queue_error_bits(const QueueError& error) {
  return std::uint32_t{error.wqe_counter} << 16 | std::uint32_t{error.vendor} << 8 | error.syndrome;
}
RS_DEVICE QueueError queue_error_of(std::uint32_t bits) {
  return {static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8),
          static_cast<std::uint16_t>(bits >> 16)};
}

}  // namespace ringside
