// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Frames for tests of stages, written from the RFCs; checksums are judged by summing anew.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "kernels/stages/field.hpp"
#include "lib/device/stream.hpp"
#include "tests/unit/softcx_steering_frames.hpp"

namespace ringside::stages {

using frames::Bytes;
using frames::ethernet;
using frames::ipv4;
using frames::ipv6;
using frames::tag;
using frames::udp;
using frames::operator+;

inline constexpr MacAddress kOwnMac{{2, 9, 9, 9, 9, 9}};

/// A frame in memory of exactly its size, so that a sanitizer sees a read behind it.
class Frame {
 public:
  explicit Frame(const Bytes& bytes, const ParseOptions& options = {})
      : memory_(new std::uint8_t[bytes.size()]),
        view{memory_.get(), static_cast<std::uint32_t>(bytes.size()), 0, 0, {}} {
    std::copy(bytes.begin(), bytes.end(), memory_.get());
    parse(view, options);
  }
  Bytes bytes() const { return {view.data, view.data + view.length}; }
  FieldValue field(Field field, bool inner = false) const {
    FieldValue value{};
    EXPECT_TRUE(load_field(view, field, inner, value));
    return value;
  }
  bool has(Field field, bool inner = false) const {
    FieldValue value{};
    return load_field(view, field, inner, value);
  }

 private:
  std::unique_ptr<std::uint8_t[]> memory_;

 public:
  PacketView view;
};

inline Bytes sub(const Bytes& bytes, std::size_t at, std::size_t count) {
  return {bytes.begin() + static_cast<std::ptrdiff_t>(at),
          bytes.begin() + static_cast<std::ptrdiff_t>(at + count)};
}

/// Are the IPv4 header's checksum and that of the TCP, UDP or ICMP packet right?
inline bool checksums_right(const Bytes& frame, std::size_t l3, bool v4) {
  const std::size_t header = v4 ? 4U * (frame[l3] & 15U) : 40;
  if (v4 && frames::internet_checksum(sub(frame, l3, header)) != 0) return false;
  const std::uint8_t protocol = frame[l3 + (v4 ? 9 : 6)];
  const Bytes l4 = sub(frame, l3 + header, frame.size() - l3 - header);
  if (v4 && protocol == 1) return frames::internet_checksum(l4) == 0;
  Bytes pseudo = v4 ? sub(frame, l3 + 12, 8) : sub(frame, l3 + 8, 32);
  Bytes tail(4);
  frames::put16(tail, 0, static_cast<std::uint32_t>(l4.size()));
  frames::put16(tail, 2, protocol);
  return frames::internet_checksum(pseudo + tail + l4) == 0;
}

/// A routing header of type 0 that leads on to 2001:db8::9, before what it is told.
inline Bytes routed(std::uint8_t next, std::uint8_t left) {
  return Bytes{next, 2, 0, left, 0, 0, 0, 0} + frames::ip_address("2001:db8::9");
}

/// The checksum in the UDP header of an IPv6 frame, and what it should be between two addresses.
inline void expect_udp_sum(const Bytes& frame, const char* source, const char* destination) {
  const Bytes l4 = sub(frame, 14 + 40 + 24, frame.size() - 14 - 40 - 24);
  EXPECT_EQ(l4, frames::with_checksum(l4, 17, source, destination));
}

inline Bytes tcp4_frame() {
  const Bytes l4 =
      frames::with_checksum(frames::tcp(1000, 80, 0x12, Bytes(9, 7)), 6, "10.0.0.1", "10.0.0.2");
  return ethernet(0x0800, ipv4({.protocol = 6}, l4));
}
inline Bytes udp6_frame() {
  const Bytes l4 = frames::with_checksum(udp(53, 5353), 17, "2001:db8::1", "2001:db8::2");
  return ethernet(0x86dd, ipv6(17, l4));
}

}  // namespace ringside::stages
