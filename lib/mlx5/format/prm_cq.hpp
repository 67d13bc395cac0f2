// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Completion queues: CREATE, MODIFY, QUERY and DESTROY_CQ.
#pragma once

#include "lib/mlx5/format/prm.hpp"

namespace ringside::prm {

namespace cqc {
inline constexpr std::size_t kSize = 0x40;
inline constexpr Field status{0x00, 31, 28};  ///< 0: fine, 9: overrun, 10: write failure
inline constexpr Field dbr_umem_valid{0x00, 25, 25};
inline constexpr Field cqe_sz{0x00, 23, 21};  ///< 0: 64 bytes, 1: 128 bytes
inline constexpr Field cc{0x00, 20, 20};      ///< collapsed: every CQE goes to entry 0
inline constexpr Field oi{0x00, 17, 17};      ///< overrun ignore
inline constexpr Field cq_period_mode{0x00, 16, 15};
inline constexpr Field cqe_comp_en{0x00, 14, 14};
inline constexpr Field mini_cqe_res_format{0x00, 13, 12};
inline constexpr Field st{0x00, 11, 8};  ///< 9: armed, 10: fired
inline constexpr Field dbr_umem_id{0x04, 31, 0};
inline constexpr Field page_offset{0x08, 11, 6};
inline constexpr Field mini_cqe_res_format_ext{0x08, 3, 2};
inline constexpr Field log_cq_size{0x0c, 28, 24};
inline constexpr Field uar_page{0x0c, 23, 0};
inline constexpr Field cq_period{0x10, 27, 16};
inline constexpr Field cq_max_count{0x10, 15, 0};
inline constexpr Field c_eqn{0x14, 7, 0};
inline constexpr Field log_page_size{0x18, 28, 24};  ///< of 4 KiB pages, where the ring is no umem
inline constexpr Field last_notified_index{0x20, 23, 0};
inline constexpr Field consumer_counter{0x28, 23, 0};
inline constexpr Field producer_counter{0x2c, 23, 0};
inline constexpr Field64 dbr_addr{0x38};  ///< offset in dbr_umem_id
}  // namespace cqc

namespace create_cq_in {
inline constexpr std::size_t kSize = 0x110;
inline constexpr Context cq_context{0x10, 0x40};  ///< cqc
inline constexpr Field64 cq_umem_offset{0x50};
inline constexpr Field cq_umem_id{0x58, 31, 0};
inline constexpr Field cq_umem_valid{0x5c, 31, 31};
}  // namespace create_cq_in

namespace create_cq_out {
inline constexpr std::size_t kSize = 0x10;
inline constexpr Field cqn{0x08, 23, 0};
}  // namespace create_cq_out

namespace modify_cq_in {
inline constexpr std::size_t kSize = 0x110;
/// modify_field_select: what changes.
inline constexpr std::uint32_t kPeriod = 1U << 0;
inline constexpr std::uint32_t kMaxCount = 1U << 1;
inline constexpr std::uint32_t kOverrunIgnore = 1U << 2;
inline constexpr Field cqn{0x08, 23, 0};
inline constexpr Field modify_field_select{0x0c, 31, 0};
inline constexpr Context cq_context{0x10, 0x40};  ///< cqc
}  // namespace modify_cq_in

namespace query_cq_in {
inline constexpr std::size_t kSize = 0x10;
inline constexpr Field cqn{0x08, 23, 0};
}  // namespace query_cq_in

namespace query_cq_out {
inline constexpr std::size_t kSize = 0x110;
inline constexpr Context cq_context{0x10, 0x40};  ///< cqc
}  // namespace query_cq_out

}  // namespace ringside::prm
