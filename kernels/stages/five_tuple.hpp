// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A packet's flow: addresses, ports and protocol, and hashes of them.
#pragma once

#include <cstdint>

#include "kernels/stages/bytes.hpp"
#include "kernels/stages/packet_view.hpp"

namespace ringside::stages {

/// IPv4 addresses lie in the last four bytes of words[1] and words[3]; the rest is 0.
struct FiveTuple {
  std::uint64_t words[5];  ///< source high, low; destination high, low; ports, protocol, version
};

RS_DEVICE std::uint64_t tuple_tail(std::uint32_t source_port, std::uint32_t destination_port,
                                   std::uint32_t protocol, std::uint32_t version) {
  return std::uint64_t{source_port} << 48 | std::uint64_t{destination_port} << 32 |
         std::uint64_t{protocol} << 8 | version;
}

RS_DEVICE bool operator==(const FiveTuple& a, const FiveTuple& b) {
  std::uint64_t difference = 0;
  for (int i = 0; i < 5; ++i) difference |= a.words[i] ^ b.words[i];
  return difference == 0;
}

/// false: not IP. Without TCP or UDP, and in all parts of a fragmented packet, the ports are 0.
RS_DEVICE bool five_tuple(const PacketView& packet, bool inner, FiveTuple& tuple) {
  const Layers& layers = inner ? packet.headers.inner : packet.headers.outer;
  if (layers.l3 == L3::kNone) return false;
  const std::uint8_t* const l3 = packet.data + layers.l3_offset;
  if (layers.l3 == L3::kIpv4) {
    tuple = {0, load32(l3 + 12), 0, load32(l3 + 16), 0};
  } else {
    tuple = {load64(l3 + 8), load64(l3 + 16), load64(l3 + 24), load64(l3 + 32), 0};
  }
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  if (!layers.fragment && (layers.l4 == L4::kTcp || layers.l4 == L4::kUdp)) {
    source = load16(packet.data + layers.l4_offset);
    destination = load16(packet.data + layers.l4_offset + 2);
  }
  tuple.words[4] = tuple_tail(source, destination, layers.protocol, layers.l3 == L3::kIpv4 ? 4 : 6);
  return true;
}

/// Spreads every bit of the input over all of the output (the finalizer of SplitMix64).
RS_DEVICE std::uint64_t mix(std::uint64_t value) {
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9U;
  value = (value ^ value >> 27) * 0x94d049bb133111ebU;
  return value ^ value >> 31;
}

RS_DEVICE std::uint64_t tuple_hash(const FiveTuple& tuple) {
  std::uint64_t hash = 0x9e3779b97f4a7c15U;
  for (const std::uint64_t word : tuple.words) hash = mix(hash ^ word);
  return hash;
}

/// `symmetric`: the same for both directions of a flow. Packets that are not IP go by the addresses
/// of Ethernet, in either direction.
RS_DEVICE std::uint64_t flow_hash(const PacketView& packet, HashOver over, bool symmetric) {
  FiveTuple tuple;
  if (!five_tuple(packet, false, tuple)) {
    if (bytes_at_data(packet) < 12) return 0;
    const std::uint8_t* const frame = packet.data;
    const std::uint64_t a = std::uint64_t{load16(frame)} << 32 | load32(frame + 2);
    const std::uint64_t b = std::uint64_t{load16(frame + 6)} << 32 | load32(frame + 8);
    return mix(mix(a) + mix(b));
  }
  const bool ports = over == HashOver::kFiveTuple;
  const std::uint64_t tail = ports ? tuple.words[4] : 0;
  const std::uint64_t source = mix(mix(tuple.words[0] ^ tail >> 48) ^ tuple.words[1]);
  const std::uint64_t destination =
      mix(mix(tuple.words[2] ^ (tail >> 32 & 0xffffU)) ^ tuple.words[3]);
  if (over == HashOver::kSourceIp) return source;
  if (over == HashOver::kDestinationIp) return destination;
  const std::uint64_t both = symmetric ? source + destination : source + mix(destination);
  return mix(both ^ (tail & 0xffffffffU));
}

/// An index below `count`, evenly.
RS_DEVICE std::uint32_t hash_index(std::uint64_t hash, std::uint32_t count) {
  return static_cast<std::uint32_t>((hash >> 32) * count >> 32);
}

}  // namespace ringside::stages
