// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// --clock of the command line.
#pragma once

#include <cstdint>
#include <string_view>

namespace softcx {

struct ClockOption {
  bool real_time = false;
  std::uint32_t khz = 1'000'000;  ///< of the free-running counter
};

/// "real-time", or the counter's frequency in kHz. Throws a usage error.
ClockOption parse_clock(std::string_view text);

}  // namespace softcx
