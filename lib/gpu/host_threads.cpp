// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/gpu/host_threads.hpp"

#include <utility>

namespace ringside {

std::unique_ptr<BlockThreads> start_host_threads(const BlockThreads::Config& config,
                                                 BlockThreads::Body body, HostMemory& memory) {
  memory.kernel_started();
  try {
    return std::make_unique<BlockThreads>(config, std::move(body),
                                          [&memory] { memory.kernel_ended(); });
  } catch (...) {
    memory.kernel_ended();
    throw;
  }
}

}  // namespace ringside
