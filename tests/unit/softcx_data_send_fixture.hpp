// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A send queue, its memory and its wire.
#pragma once

#include <gtest/gtest.h>

#include "lib/softcx/data/transmitter.hpp"
#include "tests/unit/softcx_data_fixture.hpp"

namespace softcx::test {

using ringside::CqeOpcode;
using ringside::WqeOpcode;

inline constexpr std::uint32_t kSqn = 0x1234;
inline constexpr std::size_t kEth = sizeof(ringside::EthernetSegment);

class SoftcxSend : public testing::Test {
 protected:
  SoftcxSend() { std::copy_n(frame_.begin(), frame_.size(), region_.bytes.begin()); }

  void run() {
    queue_.sq.producer = queue_.next;
    transmitter_.run(queue_.sq, 1000);
  }
  std::uint16_t post_frame(std::size_t length, std::uint8_t completion = ringside::kCeAlways) {
    return queue_.post(
        WqeOpcode::kSend,
        send_body(region_.lkey, region_.address(0), static_cast<std::uint32_t>(length)),
        completion);
  }
  void expect_error(std::uint16_t index, std::uint8_t with_syndrome, Cause cause) {
    const ringside::Cqe* cqe = completions_.poll();
    ASSERT_NE(cqe, nullptr);
    EXPECT_EQ(ringside::cqe_opcode(cqe->op_own), CqeOpcode::kRequesterError);
    EXPECT_EQ(syndrome(*cqe), with_syndrome);
    EXPECT_EQ(vendor_syndrome(*cqe), static_cast<std::uint8_t>(cause));
    EXPECT_EQ(cqe->wqe_counter.value(), index);
    EXPECT_EQ(cqe->sop_qpn.value() & 0xffffff, kSqn);
    EXPECT_EQ(queue_.sq.state.load(), QueueState::kError);
    EXPECT_TRUE(wire_.sent.empty());
  }

  Device device_{0, "0000:ca:00.0", "mlx5_send", "uverbs0", ""};
  NicClock clock_;
  RecordingWire wire_;
  Transmitter transmitter_{device_, wire_, clock_};
  CqUnderTest completions_{6};
  SqUnderTest queue_{device_, completions_.cq, kSqn, 5};
  Region region_{device_, 32768};
  Bytes frame_ = pattern(9000);
};

}  // namespace softcx::test
