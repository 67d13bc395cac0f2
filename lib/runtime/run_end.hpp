// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Ends a run: its kernels, and what it leaves behind.
#pragma once

#include <optional>

#include "lib/base/error.hpp"
#include "lib/runtime/datapath.hpp"

namespace ringside {

struct RunEnd {
  bool stopped;                  ///< nothing of the run touches memory or queues any more
  std::optional<Error> failure;  ///< of the kernels, of the trace, or of both
};

/// Stops what runs, bounded, and saves its trace. Neither waits for the other to succeed.
RunEnd end_run(DatapathEngine& datapath);

}  // namespace ringside
