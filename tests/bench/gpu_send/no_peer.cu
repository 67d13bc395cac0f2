// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "tests/bench/gpu_send/cases.hpp"

namespace ringside::bench {

std::vector<Contender> peer_cases(Rig&) {
  return {};
}

}  // namespace ringside::bench
