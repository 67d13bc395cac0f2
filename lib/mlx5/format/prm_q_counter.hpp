// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Queue counters: what the receive queues that name a counter set had to drop.
#pragma once

#include "lib/mlx5/format/prm.hpp"

namespace ringside::prm {

namespace alloc_q_counter_in {
inline constexpr std::size_t kSize = 0x10;
}  // namespace alloc_q_counter_in

namespace alloc_q_counter_out {
inline constexpr std::size_t kSize = 0x10;
inline constexpr Field counter_set_id{0x08, 7, 0};
}  // namespace alloc_q_counter_out

namespace query_q_counter_in {
inline constexpr std::size_t kSize = 0x20;
inline constexpr Field clear{0x18, 31, 31};
inline constexpr Field counter_set_id{0x1c, 7, 0};
}  // namespace query_q_counter_in

namespace query_q_counter_out {
inline constexpr std::size_t kSize = 0x100;
inline constexpr Field out_of_buffer{0x30, 31, 0};
inline constexpr Field out_of_sequence{0x38, 31, 0};
inline constexpr Field resp_local_length_error{0x78, 31, 0};
inline constexpr Field resp_local_qp_error{0x80, 31, 0};
inline constexpr Field resp_local_protection{0x88, 31, 0};
inline constexpr Field resp_cqe_error{0x90, 31, 0};
inline constexpr Field cq_overflow{0xb8, 31, 0};
inline constexpr Field resp_cqe_flush_error{0xbc, 31, 0};
inline constexpr Field req_cqe_flush_error{0xc0, 31, 0};
}  // namespace query_q_counter_out

}  // namespace ringside::prm
