// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The packets that most traffic is made of: untagged TCP or UDP over IPv4 without options, whole,
// with a right header checksum. Four words hold all that rules can ask of such a packet's headers,
// but for TCP's sequence numbers; the parser is for the others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "lib/softcx/steering/classify.hpp"

namespace softcx {

/// False: the packet is not of this kind. Else `facts` are as parse_packet() finds them: an L4
/// checksum is described, not yet verified.
bool read_plain_packet(std::span<const std::uint8_t> headers, std::uint32_t frame_length,
                       HeaderFacts& facts) noexcept;

/// Two plain packets with equal words have equal match keys (flow_key.hpp), save for TCP's sequence
/// and acknowledgement numbers.
using PlainWords = std::array<std::uint64_t, 4>;

/// The words of a plain packet: addresses, type, version, type of service; then the header checksum
/// gives its place to time to live and protocol, and what follows the ports to TCP's flags.
inline PlainWords plain_words(const std::uint8_t* frame) noexcept {
  constexpr std::size_t kTimeToLive = 22, kProtocol = 23, kIpChecksum = 24, kTcpOffset = 46;
  constexpr std::uint8_t kTcp = 6;
  PlainWords words;
  std::memcpy(words.data(), frame, 2 * sizeof(words[0]));
  std::memcpy(&words[2], frame + kIpChecksum, 2 * sizeof(words[0]));
  std::uint16_t low = 0, tcp_flags = 0;
  std::memcpy(&low, frame + kTimeToLive, sizeof(low));
  if (frame[kProtocol] == kTcp) std::memcpy(&tcp_flags, frame + kTcpOffset, sizeof(tcp_flags));
  words[2] = (words[2] & ~std::uint64_t{0xffff}) | low;
  words[3] = words[3] << 16 | (tcp_flags & 0xff01U);
  return words;
}

}  // namespace softcx
