// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Link aggregation: two ports of a device that the kernel has bonded (QUERY_LAG).
#pragma once

#include "lib/mlx5/format/prm_command.hpp"

namespace ringside::prm {

namespace lag_context {
inline constexpr std::size_t kSize = 0x08;
inline constexpr Field fdb_selection_mode{0x00, 31, 31};
inline constexpr Field port_select_mode{0x00, 10, 8};
inline constexpr Field lag_state{0x00, 2, 0};  ///< 0: no bond
inline constexpr Field tx_remap_affinity_2{0x04, 11, 8};
inline constexpr Field tx_remap_affinity_1{0x04, 3, 0};
}  // namespace lag_context

namespace query_lag_out {
inline constexpr std::size_t kSize = 0x10;
inline constexpr Context context{0x08, 0x8};  ///< lag_context
}  // namespace query_lag_out

}  // namespace ringside::prm
