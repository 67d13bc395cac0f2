// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Syndromes of error CQEs in words.
#pragma once

#include <cstdint>
#include <string>

namespace ringside::mlx5 {

/// "LOCAL_PROTECTION_ERR (0x04): the packet's memory key does not cover it".
std::string syndrome_text(std::uint8_t syndrome);

/// "send queue: LOCAL_PROTECTION_ERR (0x04): ..., vendor syndrome 0x51, WQE 17", of an error CQE;
/// of syndrome 0, which stands for none: "send queue: its completion queue has overrun".
std::string error_text(bool on_send, std::uint8_t syndrome, std::uint8_t vendor,
                       std::uint32_t wqe_counter);

}  // namespace ringside::mlx5
