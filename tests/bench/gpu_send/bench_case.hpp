// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// One row of the send benchmark, and what came of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ringside::bench {

struct Case {
  std::string what;  ///< who posts, and how it shares its queue
  std::uint32_t queues = 1;
  std::uint32_t blocks_a_queue = 1;
  std::uint32_t threads = 1024;       ///< of a block
  std::uint32_t burst = 1024;         ///< WQEs that a block (the peer: a warp) posts together
  std::uint32_t bursts = 0;           ///< that each block posts
  std::uint32_t posters_a_block = 1;  ///< what numbers its WQEs: the block, or each warp

  std::uint64_t wqes_a_queue() const {
    return std::uint64_t{blocks_a_queue} * posters_a_block * burst * bursts;
  }
};

struct Outcome {
  double seconds = 0;      ///< from the first post to the last completion
  double nic_idle = 0;     ///< share of its time that the model waited; none: it is the limit
  double wqes_a_look = 0;  ///< WQEs that the model found when it looked, on average
  std::vector<std::string> faults;
};

struct Row {
  Case axes;
  std::vector<double> rates;  ///< WQE/s, of each repeat
  Outcome last;
};

}  // namespace ringside::bench
