// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// lib/device/udp_frame.hpp
#pragma once

#include "lib/device/udp_frame.hpp"

namespace ringside {

/// Appends big-endian fields to a frame.
class FrameWriter {
 public:
  RS_DEVICE explicit FrameWriter(std::uint8_t* at) : at_(at) {}

  RS_DEVICE void u8(std::uint32_t value) { *at_++ = static_cast<std::uint8_t>(value); }
  RS_DEVICE void u16(std::uint32_t value) {
    u8(value >> 8);
    u8(value);
  }
  RS_DEVICE void u32(std::uint32_t value) {
    u16(value >> 16);
    u16(value);
  }
  RS_DEVICE void mac(const MacAddress& address) {
    for (const std::uint8_t byte : address.bytes) u8(byte);
  }
  RS_DEVICE std::uint8_t* at() const { return at_; }

 private:
  std::uint8_t* at_;
};

/// RFC 1071's sum, not yet folded.
RS_DEVICE std::uint32_t checksum_add(std::uint32_t sum, const std::uint8_t* data,
                                     std::uint32_t length) {
  for (std::uint32_t i = 0; i < length; ++i) {
    sum += (i & 1U) == 0 ? static_cast<std::uint32_t>(data[i]) << 8 : data[i];
  }
  return sum;
}

RS_DEVICE std::uint32_t checksum_finish(std::uint32_t sum) {
  while (sum >> 16 != 0) sum = (sum & 0xffffU) + (sum >> 16);
  return ~sum & 0xffffU;
}

RS_DEVICE_CALL void write_udp_frame(std::uint8_t* frame, const ProgramArgs& args) {
  constexpr std::uint32_t kIpv4 = 0x0800;
  constexpr std::uint32_t kUdp = 17;
  constexpr std::uint32_t kTimeToLive = 64;
  constexpr std::uint32_t kFrom = 0xc6120001;  // 198.18.0.1
  constexpr std::uint32_t kTo = 0xc6120002;    // 198.18.0.2
  constexpr std::uint32_t kDiscard = 9;
  const std::uint32_t udp_length = args.packet_length - 14 - 20;

  FrameWriter out(frame);
  out.mac(args.destination);
  out.mac(args.source);
  out.u16(kIpv4);

  std::uint8_t* const ip = out.at();
  out.u8(0x45);  // version 4, 5 words of header
  out.u8(0);
  out.u16(20 + udp_length);
  out.u32(0);  // identification, flags and fragment offset
  out.u8(kTimeToLive);
  out.u8(kUdp);
  out.u16(0);
  out.u32(kFrom);
  out.u32(kTo);
  FrameWriter(ip + 10).u16(checksum_finish(checksum_add(0, ip, 20)));

  std::uint8_t* const udp = out.at();
  out.u16(kDiscard);
  out.u16(kDiscard);
  out.u16(udp_length);
  out.u16(0);
  for (std::uint32_t i = 0; i < udp_length - 8; ++i) out.u8(i);
  // Over the pseudo header (both addresses, protocol, length) too; 0 would say that there is none.
  const std::uint32_t pseudo = checksum_add(kUdp + udp_length, ip + 12, 8);
  const std::uint32_t sum = checksum_finish(checksum_add(pseudo, udp, udp_length));
  FrameWriter(udp + 6).u16(sum == 0 ? 0xffffU : sum);
}

}  // namespace ringside
