// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Receive queue table: the indirection of RSS.
#pragma once

#include "lib/mlx5/format/prm.hpp"

namespace ringside::prm {

namespace rqtc {
inline constexpr std::size_t kSize = 0xf0;         ///< without the queue numbers
inline constexpr Field list_q_type{0x14, 26, 24};  ///< 0: RQs
inline constexpr Field rqt_max_size{0x14, 15, 0};
inline constexpr Field rqt_actual_size{0x18, 15, 0};
/// The queue number of entry `i`; entries follow the context.
constexpr Field rq_num(std::uint32_t i) {
  return {0xf0 + 4 * i, 23, 0};
}
}  // namespace rqtc

namespace create_rqt_in {
inline constexpr std::size_t kSize = 0x110;        ///< without the queue numbers
inline constexpr Context rqt_context{0x20, 0xf0};  ///< rqtc
}  // namespace create_rqt_in

namespace create_rqt_out {
inline constexpr std::size_t kSize = 0x10;
inline constexpr Field rqtn{0x08, 23, 0};
}  // namespace create_rqt_out

namespace modify_rqt_in {
inline constexpr std::size_t kSize = 0x110;           ///< without the queue numbers
inline constexpr std::uint64_t kQueueList = 1U << 0;  ///< modify_bitmask
inline constexpr Field rqtn{0x08, 23, 0};
inline constexpr Field64 modify_bitmask{0x10};
inline constexpr Context rqt_context{0x20, 0xf0};  ///< rqtc
}  // namespace modify_rqt_in

}  // namespace ringside::prm
