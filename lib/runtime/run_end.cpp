// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/run_end.hpp"

namespace ringside {

RunEnd end_run(DatapathEngine& datapath) {
  RunEnd end{.stopped = false, .failure = std::nullopt};
  try {
    datapath.stop();
  } catch (const Error& error) {
    end.failure = error;
  }
  end.stopped = !datapath.running();
  try {
    datapath.save_trace();
  } catch (const Error& error) {
    if (end.failure) {
      end.failure =
          Error(fmt::format("{}; {}", end.failure->what(), error.problem()), error.remedy());
    } else {
      end.failure = error;
    }
  }
  return end;
}

}  // namespace ringside
