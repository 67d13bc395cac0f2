// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <gtest/gtest.h>

#include "kernels/stages/five_tuple.hpp"
#include "kernels/stages/swap.hpp"
#include "tests/unit/stages_frame.hpp"

namespace ringside::stages {
namespace {

TEST(StagesHash, both_directions_agree_only_where_asked) {
  Frame there(tcp4_frame());
  Frame back(tcp4_frame());
  run_swap(back.view, {true, true, true});
  const auto hash = [](const Frame& frame, bool symmetric) {
    return flow_hash(frame.view, HashOver::kFiveTuple, symmetric);
  };
  EXPECT_EQ(hash(there, true), hash(back, true));
  EXPECT_NE(hash(there, false), hash(back, false));
  EXPECT_EQ(flow_hash(there.view, HashOver::kSourceIp, false),
            flow_hash(Frame(tcp4_frame()).view, HashOver::kSourceIp, false));
  EXPECT_EQ(flow_hash(there.view, HashOver::kIpPair, true),
            flow_hash(back.view, HashOver::kIpPair, true));
}

}  // namespace
}  // namespace ringside::stages
