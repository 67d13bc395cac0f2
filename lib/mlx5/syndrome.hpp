// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Syndromes of error CQEs in words.
#pragma once

#include <cstdint>
#include <string>

namespace ringside::mlx5 {

/// "LOCAL_PROTECTION_ERR (0x04): the packet's memory key does not cover it".
std::string syndrome_text(std::uint8_t syndrome);

}  // namespace ringside::mlx5
