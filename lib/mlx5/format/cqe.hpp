// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Completion queue entries, 64 bytes (PRM, "CQE Format"; struct mlx5_cqe64 of rdma-core).
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/mlx5/format/endian.hpp"

namespace ringside {

enum class CqeOpcode : std::uint8_t {
  kRequester = 0x0,      ///< send queue: all WQEs up to wqe_counter are done
  kResponderSend = 0x2,  ///< receive queue: a packet
  kRequesterError = 0xd,
  kResponderError = 0xe,
  kInvalid = 0xf,
};

/// op_own of an entry that the NIC has never written: opcode invalid, owner bit 1.
inline constexpr std::uint8_t kCqeInitialOpOwn = 0xf1;

struct Cqe {
  std::uint8_t packet_info;  ///< byte 0
  std::uint8_t reserved0;
  Be16 wqe_id;  ///< byte 2: of a striding receive queue, the WQE's index (striding.hpp)
  std::uint8_t reserved1[8];
  Be32 rx_hash_result;        ///< byte 12: Toeplitz hash, valid where rx_hash_type is not 0
  std::uint8_t rx_hash_type;  ///< byte 16: which fields were hashed
  std::uint8_t reserved2[3];
  Be16 checksum;  ///< byte 20: one's complement sum over the packet after L2
  std::uint8_t reserved3[6];
  std::uint8_t header_flags;  ///< byte 28: kCqeL*Ok
  std::uint8_t header_types;  ///< byte 29: fragment 7, L4 type 6..4, L3 3..2, options 1, stripped 0
  Be16 vlan_info;             ///< byte 30: stripped tag control information
  std::uint8_t lro_segments;
  std::uint8_t user_index[3];  ///< byte 33: the receive queue's user index
  Be32 flow_table_metadata;    ///< byte 36
  std::uint8_t reserved5[4];
  Be32 byte_count;   ///< byte 44
  Be64 timestamp;    ///< byte 48: in the format that the queue's ts_format says
  Be32 sop_qpn;      ///< byte 56: send opcode 31..24 and queue; flow tag 23..0 on receive
  Be16 wqe_counter;  ///< byte 60: index of the WQE, low 16 bits
  std::uint8_t signature;
  std::uint8_t op_own;  ///< byte 63: opcode 7..4, format 3..2, solicited 1, owner 0
};
static_assert(sizeof(Cqe) == 64);
static_assert(offsetof(Cqe, wqe_id) == 2);
static_assert(offsetof(Cqe, rx_hash_result) == 12);
static_assert(offsetof(Cqe, header_flags) == 28);
static_assert(offsetof(Cqe, byte_count) == 44);
static_assert(offsetof(Cqe, timestamp) == 48);
static_assert(offsetof(Cqe, sop_qpn) == 56);
static_assert(offsetof(Cqe, wqe_counter) == 60);
static_assert(offsetof(Cqe, op_own) == 63);

/// header_flags: what the NIC verified and saw.
inline constexpr std::uint8_t kCqeL2Ok = 0x01;
inline constexpr std::uint8_t kCqeL3Ok = 0x02;  ///< IPv4 header checksum right (IPv6: header valid)
inline constexpr std::uint8_t kCqeL4Ok = 0x04;  ///< TCP or UDP checksum right
/// header_types: L3 in bits 3..2, L4 in bits 6..4, bit 7: a fragment, bit 1: options or extensions,
/// bit 0: the VLAN tag was stripped.
inline constexpr std::uint8_t kCqeVlanStripped = 0x01;
inline constexpr std::uint8_t kCqeIpOptions = 0x02;
inline constexpr std::uint8_t kCqeL3Ipv6 = 0x04;
inline constexpr std::uint8_t kCqeL3Ipv4 = 0x08;
inline constexpr std::uint8_t kCqeL3Mask = 0x0c;
inline constexpr std::uint8_t kCqeL4Tcp = 0x10;  ///< without an acknowledgement
inline constexpr std::uint8_t kCqeL4Udp = 0x20;
inline constexpr std::uint8_t kCqeL4TcpAck = 0x30;         ///< and no data
inline constexpr std::uint8_t kCqeL4TcpAckAndData = 0x40;  ///< TCP with both
inline constexpr std::uint8_t kCqeL4Mask = 0x70;
inline constexpr std::uint8_t kCqeIpFragment = 0x80;

/// An error CQE lays its syndromes over the same 64 bytes (struct mlx5_err_cqe of rdma-core).
inline constexpr std::size_t kErrorCqeVendorSyndromeOffset = 54;
inline constexpr std::size_t kErrorCqeSyndromeOffset = 55;

enum class CqeSyndrome : std::uint8_t {
  kLocalLength = 0x01,
  kLocalQpOperation = 0x02,
  kLocalProtection = 0x04,
  kWorkRequestFlushed = 0x05,
  kMemoryWindowBind = 0x06,
  kBadResponse = 0x10,
  kLocalAccess = 0x11,
};

RS_HD constexpr CqeOpcode cqe_opcode(std::uint8_t op_own) {
  return static_cast<CqeOpcode>(op_own >> 4);
}

/// Is the entry at `consumer_index` software's? The owner bit turns with each pass of the ring.
RS_HD constexpr bool cqe_is_ready(std::uint8_t op_own, std::uint32_t consumer_index,
                                  std::uint32_t log_depth) {
  return (op_own & 1U) == ((consumer_index >> log_depth) & 1U) &&
         cqe_opcode(op_own) != CqeOpcode::kInvalid;
}

}  // namespace ringside
