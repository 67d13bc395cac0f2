// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/steering/plain_packet.hpp"

#include <cstddef>
#include <cstring>

#include "lib/mlx5/format/cqe.hpp"
#include "lib/mlx5/format/endian.hpp"
#include "lib/softcx/steering/checksum.hpp"

namespace softcx {
namespace {

using ringside::Be16;

// Offsets in the frame.
constexpr std::size_t kIp = 14, kL4 = kIp + 20;
constexpr std::size_t kTotalLength = kIp + 2, kFragment = kIp + 6;
constexpr std::size_t kProtocol = kIp + 9, kAddresses = kIp + 12;
constexpr std::size_t kDestinationPort = kL4 + 2;
constexpr std::size_t kUdpLength = kL4 + 4, kUdpChecksum = kL4 + 6, kUdpEnd = kL4 + 8;
constexpr std::size_t kTcpOffset = kL4 + 12, kTcpEnd = kL4 + 20;

constexpr std::uint8_t kTcp = 6, kUdp = 17;
constexpr std::uint16_t kVxlanPort = 4789;

template <class Word>
Word load(const std::uint8_t* at) noexcept {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

std::uint16_t load16(const std::uint8_t* at) noexcept {
  return Be16{load<std::uint16_t>(at)}.value();
}

/// Not folded: five 32-bit words of the header.
std::uint64_t header_sum(const std::uint8_t* ip) noexcept {
  const auto first = load<std::uint64_t>(ip), second = load<std::uint64_t>(ip + 8);
  return (first & 0xffffffffU) + (first >> 32) + (second & 0xffffffffU) + (second >> 32) +
         load<std::uint32_t>(ip + 16);
}

/// The checksum covers `length` bytes from the L4 header on.
[[gnu::always_inline]] inline void describe_l4_checksum(const std::uint8_t* frame,
                                                        std::size_t length,
                                                        HeaderFacts& facts) noexcept {
  const auto addresses = load<std::uint64_t>(frame + kAddresses);
  facts.l4_offset = kL4;
  facts.l4_length = static_cast<std::uint16_t>(length);
  facts.l4_pseudo_sum =
      checksum_fold((addresses & 0xffffffffU) + (addresses >> 32) + Be16::of(frame[kProtocol]).raw +
                    Be16::of(facts.l4_length).raw);
}

}  // namespace

bool read_plain_packet(std::span<const std::uint8_t> headers, std::uint32_t frame_length,
                       HeaderFacts& facts) noexcept {
  const std::uint8_t* const frame = headers.data();
  if (headers.size() < kUdpEnd) return false;
  constexpr std::uint32_t kIpv4WithoutOptions = 0x080045;
  if ((std::uint32_t{load16(frame + 12)} << 8 | frame[kIp]) != kIpv4WithoutOptions) return false;
  if ((load16(frame + kFragment) & 0x3fff) != 0) return false;
  const std::size_t total = load16(frame + kTotalLength);
  const std::uint8_t protocol = frame[kProtocol];
  if (kIp + total > frame_length || !checksum_right(header_sum(frame + kIp))) return false;

  facts = {};
  facts.header_flags = ringside::kCqeL2Ok | ringside::kCqeL3Ok;
  if (protocol == kUdp) {
    if (kIp + total < kUdpEnd || load16(frame + kDestinationPort) == kVxlanPort) return false;
    facts.header_types = ringside::kCqeL3Ipv4 | ringside::kCqeL4Udp;
    const std::size_t length = load16(frame + kUdpLength);
    if (load16(frame + kUdpChecksum) == 0) {
      facts.header_flags |= ringside::kCqeL4Ok;  // the sender left the checksum out
    } else if (length >= kUdpEnd - kL4 && kL4 + length <= kIp + total) {
      describe_l4_checksum(frame, length, facts);
    }
  } else if (protocol == kTcp) {
    if (headers.size() < kTcpEnd || kIp + total < kTcpEnd || frame[kTcpOffset] >> 4 < 5) {
      return false;
    }
    facts.header_types = ringside::kCqeL3Ipv4 | ringside::kCqeL4Tcp;
    describe_l4_checksum(frame, kIp + total - kL4, facts);
  } else {
    return false;
  }
  return true;
}

}  // namespace softcx
