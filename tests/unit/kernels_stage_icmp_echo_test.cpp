// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <gtest/gtest.h>

#include "kernels/stages/icmp_echo.hpp"
#include "tests/unit/stages_frame.hpp"

namespace ringside::stages {
namespace {

Bytes echo_request(bool v4) {
  Bytes icmp{static_cast<std::uint8_t>(v4 ? 8 : 128), 0, 0, 0, 0x12, 0x34, 0, 7, 'a', 'b', 'c'};
  if (v4) {
    frames::put16(icmp, 2, frames::internet_checksum(icmp));
    return ethernet(0x0800, ipv4({.protocol = 1}, icmp));
  }
  Bytes tail(4);
  frames::put16(tail, 0, static_cast<std::uint32_t>(icmp.size()));
  frames::put16(tail, 2, 58);
  const Bytes addresses = frames::ip_address("2001:db8::1") + frames::ip_address("2001:db8::2");
  frames::put16(icmp, 2, frames::internet_checksum(addresses + tail + icmp));
  return ethernet(0x86dd, ipv6(58, icmp));
}

TEST(StagesIcmpEcho, a_request_becomes_its_reply) {
  for (const bool v4 : {true, false}) {
    const Bytes before = echo_request(v4);
    Frame frame(before);
    ASSERT_TRUE(checksums_right(before, 14, v4));
    ASSERT_TRUE(run_icmp_echo(frame.view, {true, 0, nullptr}, kOwnMac));
    const Bytes after = frame.bytes();
    EXPECT_TRUE(checksums_right(after, 14, v4));
    EXPECT_EQ(sub(after, 0, 6), sub(before, 6, 6));
    EXPECT_EQ(frame.field(v4 ? Field::kIcmpType : Field::kIcmp6Type).low, v4 ? 0U : 129U);
    EXPECT_EQ(frame.field(v4 ? Field::kIpv4Src : Field::kIpv6Src).low, v4 ? 0x0a000002U : 2U);
    const std::size_t behind = before.size() - 7;
    EXPECT_EQ(sub(after, behind, 7), sub(before, behind, 7));
  }
}

TEST(StagesIcmpEcho, others_stay_as_they_are) {
  const FieldValue foreign{0, 0x0a000063};
  const IcmpEcho other{true, 1, &foreign};
  Bytes reply = echo_request(true);
  reply[34] = 0;
  Bytes broadcast = echo_request(true);
  broadcast[0] = 0xff;
  const IcmpEcho any{true, 0, nullptr};
  const std::pair<Bytes, const IcmpEcho*> cases[] = {
      {echo_request(true), &other}, {reply, &any}, {broadcast, &any}, {tcp4_frame(), &any}};
  for (const auto& [bytes, parameters] : cases) {
    Frame frame(bytes);
    EXPECT_FALSE(run_icmp_echo(frame.view, *parameters, kOwnMac));
    EXPECT_EQ(frame.bytes(), bytes);
  }
}

TEST(StagesIcmpEcho, an_arp_request_is_answered) {
  Bytes arp{0,  1, 8, 0, 6, 4, 0, 1, 2, 0, 0,  0, 0, 0x55,
            10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 10, 0, 0, 2};
  Bytes request = ethernet(0x0806, arp);
  std::fill_n(request.begin(), 6, std::uint8_t{0xff});
  Frame frame(request);
  const FieldValue own{0, 0x0a000002};
  ASSERT_TRUE(run_icmp_echo(frame.view, {true, 1, &own}, kOwnMac));
  const Bytes expected{2, 0, 0, 0, 0, 0x55, 2, 9,  9, 9, 9, 9, 8, 6, 0, 1, 8,    0,  6, 4, 0,
                       2, 2, 9, 9, 9, 9,    9, 10, 0, 0, 2, 2, 0, 0, 0, 0, 0x55, 10, 0, 0, 1};
  EXPECT_EQ(frame.bytes(), expected);
  Frame unasked(request);
  EXPECT_FALSE(run_icmp_echo(unasked.view, {false, 0, nullptr}, kOwnMac));
}

}  // namespace
}  // namespace ringside::stages
