// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <gtest/gtest.h>

#include "kernels/stages/swap.hpp"
#include "tests/unit/stages_frame.hpp"

namespace ringside::stages {
namespace {

TEST(StagesSwap, each_pair_is_exchanged_alone_and_checksums_stay_right) {
  const Bytes before = tcp4_frame();
  Frame macs(before);
  run_swap(macs.view, {true, false, false});
  EXPECT_EQ(macs.bytes(),
            sub(before, 6, 6) + sub(before, 0, 6) + sub(before, 12, before.size() - 12));
  Frame rest(before);
  run_swap(rest.view, {false, true, true});
  EXPECT_EQ(rest.field(Field::kIpv4Src).low, 0x0a000002U);
  EXPECT_EQ(rest.field(Field::kIpv4Dst).low, 0x0a000001U);
  EXPECT_EQ(rest.field(Field::kTcpSrc).low, 80U);
  EXPECT_EQ(rest.field(Field::kTcpDst).low, 1000U);
  EXPECT_TRUE(checksums_right(rest.bytes(), 14, true));
  EXPECT_EQ(sub(rest.bytes(), 0, 12), sub(before, 0, 12));
}

TEST(StagesSwap, the_source_of_a_packet_that_is_routed_on_is_all_that_its_checksum_sees) {
  const Bytes l4 = frames::with_checksum(udp(53, 5353), 17, "2001:db8::1", "2001:db8::9");
  Frame frame(ethernet(0x86dd, ipv6(43, routed(17, 1) + l4)));
  run_swap(frame.view, {false, true, false});
  expect_udp_sum(frame.bytes(), "2001:db8::2", "2001:db8::9");
}

}  // namespace
}  // namespace ringside::stages
