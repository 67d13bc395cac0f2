// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/mlx5/syndrome.hpp"

#include <fmt/format.h>

#include <string_view>

#include "lib/mlx5/format/cqe.hpp"

namespace ringside::mlx5 {
namespace {

std::string_view meaning(CqeSyndrome syndrome) {
  switch (syndrome) {
    case CqeSyndrome::kLocalLength:
      return "LOCAL_LENGTH_ERR ({:#04x}): a packet longer than its buffer or than the MTU";
    case CqeSyndrome::kLocalQpOperation:
      return "LOCAL_QP_OP_ERR ({:#04x}): a malformed WQE";
    case CqeSyndrome::kLocalProtection:
      return "LOCAL_PROTECTION_ERR ({:#04x}): memory that the WQE's key does not cover";
    case CqeSyndrome::kWorkRequestFlushed:
      return "WR_FLUSH_ERR ({:#04x}): flushed, the queue was in error before";
    case CqeSyndrome::kMemoryWindowBind:
      return "MW_BIND_ERR ({:#04x})";
    case CqeSyndrome::kBadResponse:
      return "BAD_RESP_ERR ({:#04x})";
    case CqeSyndrome::kLocalAccess:
      return "LOCAL_ACCESS_ERR ({:#04x})";
  }
  return "unknown syndrome {:#04x}";
}

/// NVIDIA names one of them, in rdma-core's mlx5dv.h (MLX5_CQE_VENDOR_SYNDROME_ODP_PFAULT).
std::string vendor_text(std::uint8_t vendor) {
  constexpr std::uint8_t kOnDemandPageFault = 0x93;
  return fmt::format("vendor syndrome {:#04x}{}", vendor,
                     vendor == kOnDemandPageFault ? " (page fault of on-demand paging)" : "");
}

}  // namespace

std::string syndrome_text(std::uint8_t syndrome) {
  return fmt::format(fmt::runtime(meaning(static_cast<CqeSyndrome>(syndrome))), syndrome);
}

std::string error_text(bool on_send, std::uint8_t syndrome, std::uint8_t vendor,
                       std::uint32_t wqe_counter) {
  const char* const kind = on_send ? "send" : "receive";
  if (syndrome == 0) return fmt::format("{} queue: its completion queue has overrun", kind);
  return fmt::format("{} queue: {}, {}, WQE {}", kind, syndrome_text(syndrome), vendor_text(vendor),
                     wqe_counter);
}

}  // namespace ringside::mlx5
