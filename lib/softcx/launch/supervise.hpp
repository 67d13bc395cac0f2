// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The launcher's side of a run.
#pragma once

#include <sys/types.h>

#include <string>

#include "lib/softcx/launch/signals.hpp"

namespace softcx {

struct Outcome {
  int exit_status;
  std::string report;  ///< what the preload library wrote
};

/// Waits for init to end while it collects the report and passes signals on: those that a process
/// sent to the launcher, not those of the terminal, which the command gets itself.
Outcome supervise(const SignalWatch& signals, pid_t init, int report_fd);

}  // namespace softcx
