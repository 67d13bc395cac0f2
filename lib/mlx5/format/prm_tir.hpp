// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Transport interface receive: where steering ends, directly at one queue or hashed over a table.
#pragma once

#include "lib/mlx5/format/prm.hpp"

namespace ringside::prm {

enum class TirDisposition : std::uint32_t { kDirect = 0, kIndirect = 1 };
enum class RxHashFunction : std::uint32_t { kNone = 0, kInvertedXor8 = 1, kToeplitz = 2 };

namespace rx_hash_field_select {
inline constexpr std::size_t kSize = 0x4;
inline constexpr std::uint32_t kHashSourceIp = 1U << 0;
inline constexpr std::uint32_t kHashDestinationIp = 1U << 1;
inline constexpr std::uint32_t kHashSourcePort = 1U << 2;
inline constexpr std::uint32_t kHashDestinationPort = 1U << 3;
inline constexpr std::uint32_t kHashIpsecSpi = 1U << 4;
inline constexpr Field l3_prot_type{0x00, 31, 31};    ///< 0: IPv4, 1: IPv6
inline constexpr Field l4_prot_type{0x00, 30, 30};    ///< 0: TCP, 1: UDP
inline constexpr Field selected_fields{0x00, 29, 0};  ///< kHash*
}  // namespace rx_hash_field_select

namespace tirc {
inline constexpr std::size_t kSize = 0xf0;
inline constexpr Field disp_type{0x04, 31, 28};  ///< TirDisposition
inline constexpr Field lro_timeout_period_usecs{0x10, 27, 12};
inline constexpr Field lro_enable_mask{0x10, 11, 8};
inline constexpr Field lro_max_msg_sz{0x10, 7, 0};
inline constexpr Field inline_rqn{0x1c, 23, 0};  ///< direct
inline constexpr Field rx_hash_symmetric{0x20, 31, 31};
inline constexpr Field tunneled_offload_en{0x20, 29, 29};
inline constexpr Field indirect_table{0x20, 23, 0};  ///< indirect: an RQT
inline constexpr Field rx_hash_fn{0x24, 31, 28};     ///< RxHashFunction
inline constexpr Field self_lb_block{0x24, 25, 24};
inline constexpr Field transport_domain{0x24, 23, 0};
inline constexpr Bytes rx_hash_toeplitz_key{0x28, 40};
inline constexpr Context rx_hash_field_selector_outer{0x50, 0x4};  ///< rx_hash_field_select
inline constexpr Context rx_hash_field_selector_inner{0x54, 0x4};  ///< rx_hash_field_select
}  // namespace tirc

namespace create_tir_in {
inline constexpr std::size_t kSize = 0x110;
inline constexpr Context ctx{0x20, 0xf0};  ///< tirc
}  // namespace create_tir_in

namespace create_tir_out {
inline constexpr std::size_t kSize = 0x10;
inline constexpr Field tirn{0x08, 23, 0};
}  // namespace create_tir_out

namespace modify_tir_in {
inline constexpr std::size_t kSize = 0x110;
/// modify_bitmask: which attributes change.
inline constexpr std::uint64_t kLro = 1U << 0;
inline constexpr std::uint64_t kIndirectTable = 1U << 1;
inline constexpr std::uint64_t kHash = 1U << 2;
inline constexpr std::uint64_t kSelfLoopback = 1U << 4;
inline constexpr Field tirn{0x08, 23, 0};
inline constexpr Field64 modify_bitmask{0x10};
inline constexpr Context ctx{0x20, 0xf0};  ///< tirc
}  // namespace modify_tir_in

}  // namespace ringside::prm
