// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/return_path.hpp"

namespace ringside::pipeline {

std::size_t ReturnPath::turn() {
  constexpr std::size_t kMost = 32;  // packets of kernels wait meanwhile
  std::size_t taken = 0;
  for (; taken < kMost; ++taken) {
    if (waiting_ == 0) waiting_ = sink_.read(frame_);
    if (waiting_ == 0) break;
    if (waiting_ == frame_.size()) {
      lost_.fetch_add(1, std::memory_order_relaxed);
    } else if (runtime_.send_frame(port_, {frame_.data(), waiting_})) {
      sent_.fetch_add(1, std::memory_order_relaxed);
    } else {
      break;
    }
    waiting_ = 0;
  }
  return taken;
}

}  // namespace ringside::pipeline
