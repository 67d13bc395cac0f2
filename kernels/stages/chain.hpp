// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Stages joined: what a pipeline is to a kernel. The host lays a chain out in one piece of GPU
// memory, and kernels only read it; offsets are in bytes from its start.
#pragma once

#include <cstdint>

#include "kernels/stages/packet_view.hpp"
#include "lib/device/stream.hpp"

namespace ringside::stages {

enum class Op : std::uint8_t {
  kPass,  ///< counts: drops, joins, sinks
  kMalformed,
  kBeyond,  ///< Headers::beyond
  kMatch,
  kTable,
  kRewrite,
  kSwap,
  kSample,
  kIcmpEcho,
  kLoadBalance,
  kPolice,
  kUser,
};

/// Where a packet goes: the number of a stage behind the one that it comes from, so that every
/// packet comes to an end; or one of these.
using Target = std::uint16_t;
inline constexpr Target kNextTarget = 0xfffc;  ///< on to the kernel behind, where there is one
inline constexpr Target kSendTarget = 0xfffd;
inline constexpr Target kDropTarget = 0xfffe;
inline constexpr Target kConsumeTarget = 0xffff;
inline constexpr std::uint32_t kMaxStages = 1024;

struct Stage {
  Op op;
  Target on;                 ///< what the stage is for has happened
  Target otherwise;          ///< it has not
  bool counts_bytes;         ///< of packets that go on
  std::uint32_t parameters;  ///< offset, of a type by the op
  std::uint32_t word;        ///< of its first word in PipelineArgs::words, where it has any
};

/// kPast: on, but nothing was done and nothing is counted.
enum class Outcome : std::uint8_t { kOn, kOtherwise, kPast };

/// What has become of a packet at a stage.
struct StageResult {
  Target to;
  Outcome outcome;
};

/// Packets of one stage by their outcome.
struct StageCounters {
  std::uint64_t on;
  std::uint64_t otherwise;
  std::uint64_t on_bytes;
};

struct Chain {
  std::uint32_t stages;
  /// Which of the shapes that the kernel was compiled for it has, from 1 on; 0: none.
  std::uint32_t shape;
  std::uint64_t function;  ///< ChainFunction that was compiled for it, on CPUs only; 0: none
  bool parses;             ///< some stage needs the headers
  ParseOptions parse;
  Stage stage[1];  ///< [stages]
};

template <class T>
RS_DEVICE const T& chain_part(const Chain& chain, std::uint32_t offset) {
  return *reinterpret_cast<const T*>(reinterpret_cast<const std::uint8_t*>(&chain) + offset);
}

}  // namespace ringside::stages
