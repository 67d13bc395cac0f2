// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Ringside's diagnostics (lib/base/log.hpp) as a log type of EAL's, "ringside": its --log-level
// holds for them as for DPDK's own.
#pragma once

#include <cstdint>

#include "lib/base/log.hpp"

namespace ringside {

/// Before EAL starts, so that --log-level=help lists it.
void register_log_type();
/// After EAL has read its options: --log-level=ringside:LEVEL, a pattern that "ringside" matches,
/// and --log-level=LEVEL, which is a limit for all.
void take_log_level();

/// `level`: RTE_LOG_*. What EAL calls a notice is told as a warning.
LogLevel log_level_of(std::uint32_t level) noexcept;

}  // namespace ringside
