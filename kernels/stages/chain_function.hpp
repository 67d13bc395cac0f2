// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A chain as a function that was compiled for its shape after the kernel that calls it. On CPUs, a
// call costs little beside what a compiler saves; a GPU's kernel is compiled as a whole
// (known_pipeline.hpp).
#pragma once

#include "kernels/stages/known_chain.hpp"
#include "kernels/stages/stored_chain.hpp"

namespace ringside::stages {

/// What is known of a packet before its chain. By itself, since a PacketView whose address is
/// passed on would lie in memory, and in the function it is in registers.
struct ChainPacket {
  std::uint8_t* data;
  std::uint8_t* rest;
  std::uint32_t length;
  std::uint32_t rest_length;
  std::uint32_t flow_mark;
  std::uint32_t tag;
};

/// What has become of it; comes back in a register.
struct ChainEnd {
  std::uint32_t to;  ///< Target
  std::uint32_t tag;
};

/// Chain::function; does what run_stored() does.
using ChainFunction = ChainEnd (*)(const ChainPacket& packet, const Chain& chain,
                                   const Surroundings& around, StageCounters* counters, bool alone);

/// The packet with what its chain comes to know of it.
inline PacketView view_of(const ChainPacket& packet) {
  return {packet.data, packet.length, packet.flow_mark,  packet.tag,
          {},          packet.rest,   packet.rest_length};
}

template <bool kSplit, class Shape>
RS_FLATTEN ChainEnd chain_function(const ChainPacket& packet, const Chain& chain,
                                   const Surroundings& around, StageCounters* counters,
                                   bool alone) {
  PacketView view = view_of(packet);
  const Target to = run_known<kSplit, BuiltInUsers, Shape>(view, chain, around, counters, alone);
  return {to, view.tag};
}

/// For chains of any shape.
template <bool kSplit>
RS_FLATTEN ChainEnd walk_chain(const ChainPacket& packet, const Chain& chain,
                               const Surroundings& around, StageCounters* counters, bool alone) {
  PacketView view = view_of(packet);
  const Target to = run_stored<kSplit, BuiltInUsers>(view, chain, around, counters, alone);
  return {to, view.tag};
}

/// By the chain's function where it has one. Each is called and none inlined: what walks a chain
/// would take the registers of what does not.
template <bool kSplit>
Target run_function(PacketView& packet, const Chain& chain, const Surroundings& around,
                    StageCounters* counters, bool alone) {
  const ChainFunction function =
      chain.function != 0 ? reinterpret_cast<ChainFunction>(chain.function) : &walk_chain<kSplit>;
  const ChainEnd end = function(
      {packet.data, packet.rest, packet.length, packet.rest_length, packet.flow_mark, packet.tag},
      chain, around, counters, alone);
  packet.tag = end.tag;
  return static_cast<Target>(end.to);
}

}  // namespace ringside::stages
