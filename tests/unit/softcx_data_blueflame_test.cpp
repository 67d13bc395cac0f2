// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Doorbells that bring a WQE.
#include "tests/unit/softcx_data_doorbell_fixture.hpp"

namespace softcx::test {
namespace {

TEST(SoftcxDoorbell, blueflame_brings_the_wqe_that_the_ring_holds) {
  Page page("db_flame", 1);
  for (std::size_t i = 0; i < 6; ++i) {
    page.post(0, 60 + i);
    page.record(0);
    page.flame(0, 0x800 + i % 2 * 0x100);
    EXPECT_TRUE(page.poll());
    page.run(0);
  }
  page.post(0, 77);  // and a doorbell alone, over what the last one has left
  page.record(0);
  page.ring(0);
  EXPECT_TRUE(page.poll());
  EXPECT_EQ(page.violations(), 0U);
}

TEST(SoftcxDoorbell, blueflame_with_another_wqe_than_the_rings_is_named) {
  Page page("db_other_flame", 1);
  page.post(0, 60);
  page.record(0);
  page.flame(0, 0x800);
  page.scorch(0x800 + 40);
  EXPECT_TRUE(page.poll());
  EXPECT_EQ(page.violations("send queue 0x200: BlueFlame brought another WQE"), 1U);
}

TEST(SoftcxDoorbell, ring_of_the_other_buffer_may_be_seen_late) {
  Page page("db_late", 1);
  const auto post_and_ring = [&](std::size_t offset) {
    page.post(0);
    page.record(0);
    page.ring(0, offset);
  };
  post_and_ring(0x800);
  EXPECT_TRUE(page.poll());
  post_and_ring(0x900);
  EXPECT_TRUE(page.poll());
  page.post(0);
  page.record(0);
  const std::uint64_t first = page.last_word();
  post_and_ring(0x900);
  EXPECT_TRUE(page.poll());
  page.ring_word(first, 0x800);  // was under way
  EXPECT_TRUE(page.poll());
  EXPECT_EQ(page.violations(), 0U);
  page.ring_word(first, 0x900);
  EXPECT_TRUE(page.poll());
  EXPECT_EQ(page.violations("send queue 0x200: rung backwards"), 1U);
}

TEST(SoftcxDoorbell, alternate_blueflame_buffer_rings_too) {
  Page page("db_alternate", 1);
  page.post(0);
  page.record(0);
  page.ring(0, 0x900);
  EXPECT_TRUE(page.poll());
  EXPECT_TRUE(page.has_work(0));
}

}  // namespace
}  // namespace softcx::test
