// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/queue_watch.hpp"

#include <gtest/gtest.h>

namespace ringside::test {
namespace {

class Standstill : public testing::Test {
 protected:
  /// Half a second after the last look.
  std::uint64_t waited_ms() {
    now_ns_ += 500'000'000;
    return standstill_.waited_ns(counters_, now_ns_) / 1'000'000;
  }

  StreamCounters counters_{};

 private:
  SendStandstill standstill_;
  std::uint64_t now_ns_ = 7'000'000'000;
};

TEST_F(Standstill, is_counted_from_the_first_look_that_finds_packets_and_nothing_completed) {
  counters_.tx_packets = 10;
  EXPECT_EQ(waited_ms(), 0U);
  EXPECT_EQ(waited_ms(), 500U);
  counters_.tx_packets = 20;  // more of them change nothing
  EXPECT_EQ(waited_ms(), 1000U);
}

TEST_F(Standstill, is_over_when_one_packet_has_completed) {
  counters_.tx_packets = 10;
  waited_ms();
  EXPECT_EQ(waited_ms(), 500U);
  counters_.tx_completed = 1;
  EXPECT_EQ(waited_ms(), 0U);
  EXPECT_EQ(waited_ms(), 0U);
  EXPECT_EQ(waited_ms(), 500U);
}

TEST_F(Standstill, is_none_where_nothing_was_sent_or_all_has_completed) {
  EXPECT_EQ(waited_ms(), 0U);
  EXPECT_EQ(waited_ms(), 0U);
  counters_.tx_packets = counters_.tx_completed = 10;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(waited_ms(), 0U);
}

TEST_F(Standstill, does_not_count_packets_that_an_earlier_run_lost) {
  counters_.tx_packets = 10;
  counters_.tx_completed = 6;
  counters_.tx_errors = 4;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(waited_ms(), 0U);
  counters_.tx_packets = 11;
  EXPECT_EQ(waited_ms(), 0U);
  EXPECT_EQ(waited_ms(), 500U);
}

TEST_F(Standstill, of_a_queue_that_goes_on_at_each_look_is_none) {
  for (int i = 0; i < 4; ++i) {
    counters_.tx_packets += 100;
    counters_.tx_completed += 60;
    EXPECT_EQ(waited_ms(), 0U);
  }
}

}  // namespace
}  // namespace ringside::test
