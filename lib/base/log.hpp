// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Ringside's own diagnostics: what went wrong, or was found, while a program runs, in lines of
// standard error, "ringside: warning: ...". What a command was asked for is its output and no
// diagnostic; DPDK's drivers, ours of gpudev included, log by DPDK. Never on a data path.
#pragma once

#include <fmt/core.h>

namespace ringside {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kCritical, kOff };

/// From the start warnings and worse are told; Eal (lib/dpdk/eal.hpp) sets it as --log-level says.
void set_log_level(LogLevel level);

void vlog(LogLevel level, fmt::string_view format, fmt::format_args arguments);

/// Thread-safe. Formats like fmt::format(), and only what is told.
template <typename... Arguments>
void log(LogLevel level, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  vlog(level, format, fmt::make_format_args(arguments...));
}

}  // namespace ringside
