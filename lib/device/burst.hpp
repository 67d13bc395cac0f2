// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Bursts of packets that the CPU receives and sends itself: a kernel runs the packet program on
// them and says what becomes of each. What is shared lies in memory that both reach (pinned host
// memory on an NVIDIA GPU): loads and stores only.
#pragma once

#include <cstdint>
#include <type_traits>

#include "lib/device/block.hpp"
#include "lib/device/program.hpp"
#include "lib/device/stream.hpp"

namespace ringside {

/// Whose a burst is. The values are those of gpudev's communication lists
/// (rte_gpu_comm_list_status).
enum class BurstState : std::uint32_t {
  kFree,
  kReady,  ///< the kernel's; stored by the CPU with release
  kDone,   ///< processed; stored by the kernel with release, after packets and verdicts
};

/// One packet of a burst, as gpudev's lists have it (rte_gpu_comm_pkt).
struct BurstPacket {
  /// Of its data, as the application has it; 0 in all places behind the last packet.
  std::uint64_t address;
  std::uint64_t length;  ///< bytes, without FCS
};

/// What the NIC found out about a packet, in the terms of a CQE (lib/mlx5/format/cqe.hpp).
struct BurstPacketInfo {
  std::uint32_t rss_hash;
  std::uint32_t flow_tag;       ///< rte_flow's MARK plus one, 0: none
  std::uint16_t vlan_tci;       ///< of a stripped tag
  std::uint8_t rss_hash_valid;  ///< as rx_hash_type: not 0: rss_hash is one
  std::uint8_t header_flags;    ///< kCqeL3Ok, kCqeL4Ok
  std::uint8_t header_types;    ///< kCqeVlanStripped
  std::uint8_t reserved[3];
};

/// A place for one burst. Its parts are arrays of `capacity`.
struct BurstArgs {
  const BurstPacket* packets;
  const BurstPacketInfo* infos;
  Verdict* verdicts;
  BurstState* state;
  std::uint32_t capacity;
  std::int64_t view_offset;  ///< kernel pointer = address + view_offset
  ProgramArgs program;
};

/// Most places that a lane has.
inline constexpr std::uint32_t kMaxBurstPlaces = 8;

/// A lane: places that are used in turn, so that bursts keep their order.
struct BurstLaneArgs {
  BurstArgs places[kMaxBurstPlaces];
  std::uint32_t count;        ///< of places
  const std::uint32_t* exit;  ///< serve_bursts(): not 0 ends it
};
static_assert(std::is_trivially_copyable_v<BurstLaneArgs>);

/// Runs the program on each packet of a burst that is kReady, which was acquired, and makes it
/// kDone (release). The packets of a program that does not receive are empty: it writes its frame
/// into each. Collective; waits at barriers only.
template <BurstProgram P, Block B>
RS_DEVICE void run_burst(B& block, const BurstArgs& burst);

/// Runs bursts as they become kReady, in turn, until the lane's exit word is set. Collective.
template <BurstProgram P, Block B>
RS_DEVICE void serve_bursts(B& block, const BurstLaneArgs& lane);

}  // namespace ringside

#include "lib/device/impl/burst.hpp"
