// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Work queue entries of send and receive queues (PRM, "Work Request (WQE) Formats"; the same
// layouts as struct mlx5_wqe_* of rdma-core's mlx5dv.h, against which a unit test checks them).
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/mlx5/format/endian.hpp"

namespace ringside {

inline constexpr std::uint32_t kWqeBasicBlock = 64;   ///< bytes; send WQEs are multiples of it
inline constexpr std::uint32_t kWqeSegment = 16;      ///< bytes; the unit of the ds count
inline constexpr std::uint32_t kMaxSegmentsPerWqe = 63;

/// Send opcodes (control segment, bits 7..0).
enum class WqeOpcode : std::uint8_t {
  kNop = 0x00,
  kSend = 0x0a,
  kTso = 0x0e,
  kWait = 0x0f,
  kEnhancedMpw = 0x29,
};

/// Completion request, control segment fm_ce_se bits 3..2.
inline constexpr std::uint8_t kCeOnError = 0x00;
inline constexpr std::uint8_t kCeAlways = 0x08;
inline constexpr std::uint8_t kCeMask = 0x0c;

/// Checksum offload bits of the Ethernet segment. The inner ones are for what a tunnel carries.
inline constexpr std::uint8_t kCsInnerL3 = 0x10;
inline constexpr std::uint8_t kCsInnerL4 = 0x20;
inline constexpr std::uint8_t kCsL3 = 0x40;
inline constexpr std::uint8_t kCsL4 = 0x80;
inline constexpr std::uint8_t kCsAll = kCsInnerL3 | kCsInnerL4 | kCsL3 | kCsL4;
/// inline_header_size bit that says: a VLAN tag is inserted, its control information follows.
inline constexpr std::uint16_t kVlanInsert = 0x8000;

/// Data segment byte_count bit that says: data follow inline.
inline constexpr std::uint32_t kInlineData = 0x80000000U;
/// lkey of an unused scatter entry of a receive WQE, and the mkey number 1 it comes from.
inline constexpr std::uint32_t kInvalidLkey = 0x100;

struct __attribute__((packed, aligned(4))) ControlSegment {
  Be32 opmod_idx_opcode;  ///< opmod 31..24, WQE index 23..8, opcode 7..0
  Be32 qpn_ds;            ///< queue number 31..8, ds (16-byte segments of this WQE) 5..0
  std::uint8_t signature;
  Be16 dci_stream_channel_id;
  std::uint8_t fm_ce_se;
  Be32 immediate;
};
static_assert(sizeof(ControlSegment) == 16);

struct EthernetSegment {
  Be32 reserved0;
  std::uint8_t cs_flags;
  std::uint8_t reserved1;
  Be16 mss;
  Be32 flow_table_metadata;
  Be16 inline_header_size;  ///< 9..0 inlined bytes; with bit 15 set: VLAN insertion
  std::uint8_t inline_header_start[2];
};
static_assert(sizeof(EthernetSegment) == 16);

struct DataSegment {
  Be32 byte_count;
  Be32 lkey;
  Be64 address;
};
static_assert(sizeof(DataSegment) == 16);

/// opmod of kWait: what is waited for.
inline constexpr std::uint8_t kWaitOnTime = 2;
/// How a wait compares its value with what it looks at, in the bits of the mask.
enum class WaitCondition : std::uint32_t {
  kAlwaysTrue = 0,
  kEqual = 1,
  kBigger = 2,
  kSmaller = 3,
  kCyclicBigger = 4,
  kCyclicSmaller = 5,  ///< the value lies up to half a cycle behind the clock
};

struct WaitSegment {
  Be32 operation;  ///< WaitCondition 3..0, 4: inverted
  Be32 lkey;       ///< of a wait on data; 0 for time
  Be64 address;
  Be64 value;
  Be64 mask;
};
static_assert(sizeof(WaitSegment) == 32);
inline constexpr std::uint32_t kWaitWqeSegments = 3;

/// The send WQE that the device API writes: one packet, one data segment, one basic block.
struct SendWqe {
  ControlSegment control;
  EthernetSegment ethernet;
  DataSegment data;
  std::uint8_t reserved[16];
};
static_assert(sizeof(SendWqe) == kWqeBasicBlock);
inline constexpr std::uint32_t kSendWqeSegments = 3;

RS_HD constexpr std::uint32_t opmod_idx_opcode(std::uint32_t index, WqeOpcode opcode) {
  return ((index & 0xffffU) << 8) | static_cast<std::uint32_t>(opcode);
}
RS_HD constexpr std::uint32_t qpn_ds(std::uint32_t qpn, std::uint32_t segments) {
  return (qpn << 8) | segments;
}

/// Doorbell record: two dwords. A receive queue's counter is dword 0, a send queue's dword 1.
/// Both hold the low 16 bits of the producer index.
struct DoorbellRecord {
  Be32 receive_counter;
  Be32 send_counter;
};
static_assert(sizeof(DoorbellRecord) == 8);
/// A completion queue's record: dword 0 the consumer index (24 bits), dword 1 the arm word.
struct CqDoorbellRecord {
  Be32 consumer_index;
  Be32 arm;
};

/// Offset of the send doorbell (8 bytes: first half of the last WQE's control segment) in a UAR
/// page, where the first BlueFlame buffer begins; the second one follows it (PRM, "UAR Page Format").
inline constexpr std::size_t kUarDoorbellOffset = 0x800;
inline constexpr std::size_t kBlueFlameBufferBytes = 0x100;
inline constexpr std::size_t kUarCqDoorbellOffset = 0x20;

}  // namespace ringside
