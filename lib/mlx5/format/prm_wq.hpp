// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Send and receive queues: their common work queue (wq), SQ and RQ contexts, and the commands.
#pragma once

#include "lib/mlx5/format/prm.hpp"

namespace ringside::prm {

enum class WqType : std::uint32_t {
  kLinkedList = 0,
  kCyclic = 1,
  kListStriding = 2,
  kCyclicStriding = 3
};

/// States of SQs and RQs; other numbers are reserved.
enum class QueueState : std::uint32_t { kReset = 0, kReady = 1, kError = 3 };

/// How a queue's CQEs tell the time. `kDefault` follows the device's own format.
enum class TimestampFormat : std::uint32_t { kFreeRunning = 0, kDefault = 1, kRealTime = 2 };

/// Headers that a send WQE has to carry inline at least.
enum class InlineMode : std::uint32_t { kNone = 0, kL2 = 1, kIp = 2, kTcpUdp = 3 };

namespace wq {
inline constexpr std::size_t kSize = 0xc0;
inline constexpr Field wq_type{0x00, 31, 28};  ///< WqType
inline constexpr Field wq_signature{0x00, 27, 27};
inline constexpr Field end_padding_mode{0x00, 26, 25};
inline constexpr Field page_offset{0x04, 20, 16};
inline constexpr Field lwm{0x04, 15, 0};
inline constexpr Field pd{0x08, 23, 0};
inline constexpr Field uar_page{0x0c, 23, 0};
inline constexpr Field64 dbr_addr{0x10};  ///< offset in dbr_umem_id
inline constexpr Field hw_counter{0x18, 31, 0};
inline constexpr Field sw_counter{0x1c, 31, 0};
inline constexpr Field log_wq_stride{0x20, 19, 16};  ///< log of a WQE's bytes
inline constexpr Field log_wq_pg_sz{0x20, 12, 8};    ///< of 4 KiB pages
inline constexpr Field log_wq_sz{0x20, 4,
                                 0};  ///< log of the number of WQEs (SQ: of 64-byte blocks)
inline constexpr Field dbr_umem_valid{0x24, 31, 31};
inline constexpr Field wq_umem_valid{0x24, 30, 30};
inline constexpr Field single_wqe_log_num_of_strides{0x24, 11, 8};
inline constexpr Field two_byte_shift_en{0x24, 7, 7};
inline constexpr Field single_stride_log_num_of_bytes{0x24, 2, 0};
inline constexpr Field dbr_umem_id{0x28, 31, 0};
inline constexpr Field wq_umem_id{0x2c, 31, 0};
inline constexpr Field64 wq_umem_offset{0x30};
}  // namespace wq

namespace sqc {
inline constexpr std::size_t kSize = 0xf0;
inline constexpr Field rlky{0x00, 31, 31};
inline constexpr Field cd_master{0x00, 30, 30};
inline constexpr Field fre{0x00, 29, 29};
inline constexpr Field flush_in_error_en{0x00, 28, 28};
inline constexpr Field allow_multi_pkt_send_wqe{0x00, 27, 27};
inline constexpr Field min_wqe_inline_mode{0x00, 26, 24};  ///< InlineMode
inline constexpr Field state{0x00, 23, 20};                ///< QueueState
inline constexpr Field reg_umr{0x00, 19, 19};
inline constexpr Field allow_swp{0x00, 18, 18};
inline constexpr Field hairpin{0x00, 17, 17};
inline constexpr Field non_wire{0x00, 16, 16};
inline constexpr Field static_sq_wq{0x00, 15, 15};
inline constexpr Field ts_format{0x00, 5, 4};  ///< TimestampFormat
inline constexpr Field user_index{0x04, 23, 0};
inline constexpr Field cqn{0x08, 23, 0};
inline constexpr Field hairpin_peer_rq{0x0c, 23, 0};
inline constexpr Field hairpin_peer_vhca{0x10, 15, 0};
inline constexpr Field packet_pacing_rate_limit_index{0x1c, 15, 0};
inline constexpr Field tis_lst_sz{0x20, 31, 16};
inline constexpr Field tis_num_0{0x2c, 23, 0};
inline constexpr Context wq{0x30, 0xc0};  ///< wq
}  // namespace sqc

namespace rqc {
inline constexpr std::size_t kSize = 0xf0;
inline constexpr Field rlky{0x00, 31, 31};
inline constexpr Field delay_drop_en{0x00, 30, 30};
inline constexpr Field scatter_fcs{0x00, 29, 29};
inline constexpr Field vsd{0x00, 28, 28};          ///< VLAN strip disable
inline constexpr Field mem_rq_type{0x00, 27, 24};  ///< 0: inline
inline constexpr Field state{0x00, 23, 20};        ///< QueueState
inline constexpr Field flush_in_error_en{0x00, 18, 18};
inline constexpr Field hairpin{0x00, 17, 17};
inline constexpr Field ts_format{0x00, 5, 4};  ///< TimestampFormat
inline constexpr Field user_index{0x04, 23, 0};
inline constexpr Field cqn{0x08, 23, 0};
inline constexpr Field counter_set_id{0x0c, 31, 24};
inline constexpr Field rmpn{0x10, 23, 0};
inline constexpr Field hairpin_peer_sq{0x14, 23, 0};
inline constexpr Field hairpin_peer_vhca{0x18, 15, 0};
inline constexpr Context wq{0x30, 0xc0};  ///< wq
}  // namespace rqc

namespace create_sq_in {
inline constexpr std::size_t kSize = 0x110;
inline constexpr Context ctx{0x20, 0xf0};  ///< sqc
}  // namespace create_sq_in

namespace create_sq_out {
inline constexpr std::size_t kSize = 0x10;
inline constexpr Field sqn{0x08, 23, 0};
}  // namespace create_sq_out

namespace modify_sq_in {
inline constexpr std::size_t kSize = 0x110;
/// modify_bitmask: which attributes change beside the state.
inline constexpr std::uint64_t kPacketPacingRateLimitIndex = 1U << 0;
inline constexpr Field sq_state{0x08, 31, 28};  ///< the state it is in now
inline constexpr Field sqn{0x08, 23, 0};
inline constexpr Field64 modify_bitmask{0x10};
inline constexpr Context ctx{0x20, 0xf0};  ///< sqc
}  // namespace modify_sq_in

namespace query_sq_in {
inline constexpr std::size_t kSize = 0x10;
inline constexpr Field sqn{0x08, 23, 0};
}  // namespace query_sq_in

namespace query_sq_out {
inline constexpr std::size_t kSize = 0x110;
inline constexpr Context sq_context{0x20, 0xf0};  ///< sqc
}  // namespace query_sq_out

namespace create_rq_in {
inline constexpr std::size_t kSize = 0x110;
inline constexpr Context ctx{0x20, 0xf0};  ///< rqc
}  // namespace create_rq_in

namespace create_rq_out {
inline constexpr std::size_t kSize = 0x10;
inline constexpr Field rqn{0x08, 23, 0};
}  // namespace create_rq_out

namespace modify_rq_in {
inline constexpr std::size_t kSize = 0x110;
/// modify_bitmask: which attributes change beside the state.
inline constexpr std::uint64_t kLwm = 1U << 0;
inline constexpr std::uint64_t kVsd = 1U << 1;
inline constexpr std::uint64_t kScatterFcs = 1U << 2;
inline constexpr std::uint64_t kCounterSetId = 1U << 3;
inline constexpr Field rq_state{0x08, 31, 28};  ///< the state it is in now
inline constexpr Field rqn{0x08, 23, 0};
inline constexpr Field64 modify_bitmask{0x10};
inline constexpr Context ctx{0x20, 0xf0};  ///< rqc
}  // namespace modify_rq_in

namespace query_rq_in {
inline constexpr std::size_t kSize = 0x10;
inline constexpr Field rqn{0x08, 23, 0};
}  // namespace query_rq_in

namespace query_rq_out {
inline constexpr std::size_t kSize = 0x110;
inline constexpr Context rq_context{0x20, 0xf0};  ///< rqc
}  // namespace query_rq_out

}  // namespace ringside::prm
