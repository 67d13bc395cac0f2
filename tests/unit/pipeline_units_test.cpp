// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Numbers with units, as they are read and written.
#include <gtest/gtest.h>

#include <optional>

#include "lib/pipeline/units.hpp"

namespace ringside::pipeline::test {
namespace {

TEST(Units, plain_decimal_and_hexadecimal_numbers_are_read) {
  EXPECT_EQ(parse_quantity("4096", Unit::kNone), 4096U);
  EXPECT_EQ(parse_quantity("0x1000", Unit::kNone), 4096U);
  EXPECT_EQ(parse_quantity("18446744073709551615", Unit::kNone), UINT64_MAX);
}

TEST(Units, suffixes_multiply) {
  EXPECT_EQ(parse_quantity("64KiB", Unit::kBytes), 65536U);
  EXPECT_EQ(parse_quantity("64 kB", Unit::kBytes), 64000U);
  EXPECT_EQ(parse_quantity("10ms", Unit::kMicroseconds), 10'000U);
  EXPECT_EQ(parse_quantity("2s", Unit::kMilliseconds), 2000U);
  EXPECT_EQ(parse_quantity("400Gbps", Unit::kBitRate), 400'000'000'000U);
  EXPECT_EQ(parse_quantity("5Mpps", Unit::kPacketRate), 5'000'000U);
}

TEST(Units, a_fraction_is_read_when_the_suffix_makes_it_whole) {
  EXPECT_EQ(parse_quantity("2.5Gbps", Unit::kBitRate), 2'500'000'000U);
  EXPECT_EQ(parse_quantity("0.000000001Gbps", Unit::kBitRate), 1U);
  EXPECT_EQ(parse_quantity("0.0000000001Gbps", Unit::kBitRate), std::nullopt);
  EXPECT_EQ(parse_quantity("1.5", Unit::kBitRate), std::nullopt);
  EXPECT_EQ(parse_quantity("1.5KiB", Unit::kBytes), std::nullopt);
}

TEST(Units, what_is_no_number_of_the_unit_is_refused) {
  for (const char* const text :
       {"", " ", "-1", "+1", "1e3", "0x", "0xg", "1.", ".", ".5Gbps", "1..5Gbps", "10  Gbps",
        "10gbps", "Gbps", "10Gbpss", "10Mpps", "18446744073709551616", "99999999999Tbps",
        "18446744073709551615.9Mbps"}) {
    EXPECT_EQ(parse_quantity(text, Unit::kBitRate), std::nullopt) << text;
  }
  EXPECT_EQ(parse_quantity("1B", Unit::kNone), std::nullopt);
}

TEST(Units, numbers_as_other_languages_write_them_are_told_how_to_be_written) {
  for (const char* const text : {"1_500", "+1500", "01500", "0o17", "0b1", "1.5", "1e3"}) {
    EXPECT_TRUE(number_hint(text).starts_with("; write it ")) << text;
  }
  for (const char* const text : {"", "+", "1500", "0", "0x10", "big", "12:30", "10min", "1-2"}) {
    EXPECT_EQ(number_hint(text), "") << text;
  }
  EXPECT_TRUE(is_ambiguous("010"));
  for (const char* const text : {"0", "10", "0x10", "010ms", ""}) {
    EXPECT_FALSE(is_ambiguous(text)) << text;
  }
}

TEST(Units, what_is_written_reads_as_the_same) {
  for (const Unit unit : {Unit::kNone, Unit::kBytes, Unit::kMicroseconds, Unit::kMilliseconds,
                          Unit::kBitRate, Unit::kPacketRate}) {
    for (const std::uint64_t value :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{1500},
          std::uint64_t{65536}, std::uint64_t{10'000'000'000}, UINT64_MAX}) {
      EXPECT_EQ(parse_quantity(quantity_text(value, unit), unit), value);
    }
  }
}

TEST(Units, the_largest_suffix_that_keeps_a_number_whole_is_written) {
  EXPECT_EQ(quantity_text(10'000'000'000, Unit::kBitRate), "10Gbps");
  EXPECT_EQ(quantity_text(1500, Unit::kBitRate), "1500bps");
  EXPECT_EQ(quantity_text(0, Unit::kPacketRate), "0pps");
  EXPECT_EQ(quantity_text(1536, Unit::kBytes), "1536");
}

}  // namespace
}  // namespace ringside::pipeline::test
