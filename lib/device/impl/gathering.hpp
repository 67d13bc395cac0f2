// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Batches that wait to be full: how much a block may take of what has come. A batch is taken in as
// many passes as the block needs for it.
#pragma once

#include <cstdint>

#include "lib/device/target.hpp"

namespace ringside {

/// Of one thread.
class Gathering {
 public:
  /// How many completions may be taken now; `most` could be. `ready(i)`: are more than i there?
  template <class Ready>
  RS_DEVICE std::uint32_t allowed(std::uint64_t wait_ns, std::uint64_t now_ns, std::uint32_t most,
                                  Ready ready) {
    if (left_ == 0 && most > 0 && ready(0)) {
      if (!waits_) since_ns_ = now_ns;
      waits_ = true;
      if (ready(most - 1) || now_ns - since_ns_ >= wait_ns) left_ = most;
    }
    return left_ < most ? left_ : most;
  }
  /// What the pass after it has taken: of a batch that was not full, the last one takes nothing.
  RS_DEVICE void taken(std::uint32_t count) {
    if (left_ == 0) return;
    left_ -= count == 0 || count > left_ ? left_ : count;
    waits_ = left_ != 0;
  }

 private:
  std::uint64_t since_ns_ = 0;
  std::uint32_t left_ = 0;  // of a batch that is being taken
  bool waits_ = false;
};

}  // namespace ringside
