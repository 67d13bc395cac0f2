// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Ringside's own diagnostics: what went wrong, or was found, while a program runs, in lines of
// standard error, "ringside: warning: ...". What a command was asked for is its output and no
// diagnostic; DPDK's drivers, ours of gpudev included, log by DPDK. Never on a data path.
#pragma once

#include <spdlog/logger.h>

namespace ringside {

/// Thread-safe. From the start it tells warnings and worse; Eal (lib/dpdk/eal.hpp) sets its level
/// as --log-level says.
spdlog::logger& log();

}  // namespace ringside
