// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Access registers, of which drivers read what the NIC's time is (MTUTC).
#pragma once

#include "lib/mlx5/format/prm.hpp"

namespace ringside::prm {

/// op_mod of ACCESS_REGISTER_USER.
inline constexpr std::uint32_t kRegisterRead = 1;

namespace access_register_in {
inline constexpr std::size_t kSize = 0x10;
inline constexpr Field register_id{0x08, 15, 0};
inline constexpr Field argument{0x0c, 31, 0};
}  // namespace access_register_in

namespace access_register_out {
inline constexpr std::size_t kData = 0x10;  ///< where the register's content begins
}  // namespace access_register_out

inline constexpr std::uint32_t kMtutcRegister = 0x9055;

/// What the time stamps of CQEs and of waits count.
enum class TimestampMode : std::uint32_t { kInternalTimer = 0, kRealTime = 1 };

namespace mtutc {
inline constexpr std::size_t kSize = 0x1c;
inline constexpr Field time_stamp_mode{0x00, 31, 30};  ///< TimestampMode
}  // namespace mtutc

}  // namespace ringside::prm
