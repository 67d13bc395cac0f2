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

RS_DEVICE std::uint8_t error_syndrome(const Cqe& cqe) {
  return reinterpret_cast<const std::uint8_t*>(&cqe)[kErrorCqeSyndromeOffset];
}

RS_DEVICE QueueError queue_error(const Cqe& cqe) {
  return {error_syndrome(cqe),
          reinterpret_cast<const std::uint8_t*>(&cqe)[kErrorCqeVendorSyndromeOffset],
          cqe.wqe_counter.value()};
}

}  // namespace ringside
