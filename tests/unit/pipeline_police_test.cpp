// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Rates of a file as the kernel keeps them: never above, and how little below.
#include <gtest/gtest.h>

#include <random>

#include "kernels/stages/police.hpp"
#include "lib/pipeline/stage_parameters.hpp"

namespace ringside::pipeline {
namespace {

stages::PoliceParameters parameters_of(const PoliceStage& stage) {
  ParameterBytes bytes;
  const std::uint32_t at = add_police(bytes, stage, 1);
  stages::PoliceParameters parameters{};
  std::memcpy(&parameters, reinterpret_cast<const std::uint8_t*>(bytes.words().data()) + at,
              sizeof parameters);
  return parameters;
}

/// Offers twice the rate in batches of 32 packets, until `units` (bytes or packets) of it have
/// passed; returns what has passed above the first burst, in parts of what the rate gives.
double kept(const PoliceStage& stage, double rate, bool bytes, std::uint32_t length) {
  const stages::PoliceParameters parameters = parameters_of(stage);
  constexpr std::uint64_t kStart = 1'790'000'000'000'000'000;  // ns since 1970
  constexpr int kBatches = 20000;
  constexpr int kBatch = 32;
  const double unit = bytes ? length : 1;
  const double batch_ns = kBatch * unit / rate * 1e9 / 2;
  std::uint64_t word = 0;
  double passed = 0;
  double elapsed_ns = 0;
  for (int batch = 0; batch < kBatches; ++batch) {
    elapsed_ns = static_cast<double>(static_cast<std::uint64_t>(batch * batch_ns));
    const std::uint64_t now =
        (kStart + static_cast<std::uint64_t>(elapsed_ns)) * stages::kPoliceTicksPerNs;
    for (int i = 0; i < kBatch; ++i) {
      if (stages::run_police(&word, now, length, parameters)) passed += unit;
    }
  }
  return (passed - static_cast<double>(*stage.burst)) / (rate * elapsed_ns / 1e9);
}

TEST(PipelinePolice, a_bit_rate_is_kept_to_a_thousandth_and_never_exceeded) {
  for (const std::uint64_t rate : {1'000ULL, 1'000'000ULL, 3'333'333'333ULL, 10'000'000'000ULL,
                                   99'999'999'999ULL, 400'000'000'000ULL, 800'000'000'000ULL}) {
    for (const std::uint32_t length : {60U, 61U, 777U, 1514U}) {
      const PoliceStage stage{.bit_rate = rate, .packet_rate = {}, .burst = 4 * 32 * length};
      const double share = kept(stage, static_cast<double>(rate) / 8, true, length);
      EXPECT_LE(share, 1.00001) << rate << ' ' << length;
      EXPECT_GE(share, 0.999) << rate << ' ' << length;
    }
  }
}

TEST(PipelinePolice, a_packet_rate_is_kept_to_a_thousandth_and_never_exceeded) {
  for (const std::uint64_t rate : {1ULL, 7ULL, 1'000'003ULL, 148'809'523ULL, 700'000'000ULL,
                                   999'999'999ULL, 1'000'000'000ULL}) {
    const PoliceStage stage{.bit_rate = {}, .packet_rate = rate, .burst = 128};
    const double share = kept(stage, static_cast<double>(rate), false, 64);
    EXPECT_LE(share, 1.00001) << rate;
    EXPECT_GE(share, 0.999) << rate;
  }
}

TEST(PipelinePolice, a_burst_is_what_the_file_says_whatever_the_frames_in_it) {
  for (const std::uint64_t rate : {1'000ULL, 7'777'777ULL, 800'000'000'000ULL}) {
    for (const std::uint32_t length : {60U, 100U, 1514U}) {
      const PoliceStage stage{.bit_rate = rate, .packet_rate = {}, .burst = 100 * length};
      const stages::PoliceParameters parameters = parameters_of(stage);
      std::uint64_t word = 0;
      int passed = 0;
      while (passed < 1000 && stages::run_police(&word, 0, length, parameters)) ++passed;
      EXPECT_EQ(passed, 100) << rate << ' ' << length;
    }
  }
}

TEST(PipelinePolice, the_largest_burst_of_a_day_is_kept) {
  const PoliceStage stage{.bit_rate = {}, .packet_rate = 1, .burst = 86400};
  const stages::PoliceParameters parameters = parameters_of(stage);
  std::uint64_t word = 0;
  int passed = 0;
  while (passed < 100'000 && stages::run_police(&word, 0, 64, parameters)) ++passed;
  EXPECT_EQ(passed, 86400);
}

}  // namespace
}  // namespace ringside::pipeline
