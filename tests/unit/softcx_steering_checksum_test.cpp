// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// L4 checksums of frames that are longer than the headers that steering gets.
#include <gtest/gtest.h>

#include "lib/softcx/steering/checksum.hpp"
#include "lib/softcx/steering/parse.hpp"
#include "tests/unit/softcx_steering_frames.hpp"

namespace softcx {
namespace {

using namespace frames;

/// A frame cut into segments of these sizes, the last one takes the rest.
bool verified(const Bytes& frame, std::initializer_list<std::size_t> sizes) {
  ParsedPacket packet;
  parse_packet(std::span(frame).first(std::min<std::size_t>(frame.size(), kMaxHeaderBytes)),
               static_cast<std::uint32_t>(frame.size()), packet);
  EXPECT_NE(packet.facts.l4_length, 0);
  std::vector<Segment> segments;
  std::size_t at = 0;
  for (const std::size_t size : sizes) {
    segments.push_back({frame.data() + at, static_cast<std::uint32_t>(size)});
    at += size;
  }
  segments.push_back({frame.data() + at, static_cast<std::uint32_t>(frame.size() - at)});
  return l4_checksum_right({segments, static_cast<std::uint32_t>(frame.size())}, packet.facts);
}

Bytes payload(std::size_t size) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(7 * i + 3);
  return bytes;
}

Bytes udp_frame(std::size_t size) {
  return ethernet(0x0800,
                  ipv4({}, with_checksum(udp(1, 2, payload(size)), 17, "10.0.0.1", "10.0.0.2")));
}

TEST(Checksum, bytes_of_any_length_and_place_are_summed_up_as_words) {
  const Bytes bytes = payload(800);
  for (std::size_t begin = 0; begin < 3; ++begin) {
    for (std::size_t length = 0; begin + length <= bytes.size(); ++length) {
      std::uint64_t sum = 5;
      for (std::size_t i = 0; i < length; ++i) {
        sum += std::uint64_t{bytes[begin + i]} << (i % 2 == 0 ? 0 : 8);
      }
      ASSERT_EQ(checksum_fold(checksum_add(5, std::span(bytes).subspan(begin, length))),
                checksum_fold(sum))
          << begin << " " << length;
    }
  }
}

TEST(Checksum, frame_in_one_piece) {
  EXPECT_TRUE(verified(udp_frame(1400), {}));
  EXPECT_TRUE(verified(udp_frame(1401), {}));
}

TEST(Checksum, segments_of_any_parity) {
  EXPECT_TRUE(verified(udp_frame(1401), {14}));
  EXPECT_TRUE(verified(udp_frame(1401), {14, 20, 8, 100}));
  EXPECT_TRUE(verified(udp_frame(1401), {35, 1, 1, 101, 0, 3}));
}

TEST(Checksum, ipv6_and_tcp) {
  const Bytes l4 = with_checksum(tcp(1, 2, 0x10, payload(1001)), 6, "2001:db8::1", "2001:db8::2");
  EXPECT_TRUE(verified(ethernet(0x86dd, ipv6(6, l4)), {256}));
}

TEST(Checksum, one_wrong_byte_anywhere_is_found) {
  const Bytes good = udp_frame(600);
  for (std::size_t at = 14 + 20; at < good.size(); ++at) {
    if (at >= 38 && at < 40) continue;  // the UDP length says where the sum ends
    Bytes bad = good;
    bad[at] ^= 0x10;
    EXPECT_FALSE(verified(bad, {333})) << at;
  }
}

TEST(Checksum, bytes_that_are_not_there_are_not_right) {
  const Bytes good = udp_frame(600);
  ParsedPacket packet;
  parse_packet(good, static_cast<std::uint32_t>(good.size()), packet);
  const Segment cut{good.data(), 500};
  EXPECT_FALSE(l4_checksum_right({{&cut, 1}, 500}, packet.facts));
}

}  // namespace
}  // namespace softcx
