// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the preload library needs to know, as one JSON file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/softcx/launch/clock_option.hpp"
#include "lib/softcx/launch/launch.hpp"
#include "lib/softcx/launch/port.hpp"

namespace softcx {

/// For SOFTCX_CONFIG.
inline constexpr const char* kConfigFile = "/dev/shm/softcx/config.json";

/// The file's text. `request` has been checked; `report_fd` is where the library writes its
/// counters at exit; `line_bits_per_s`: 0 for lines on which frames take no time.
std::string config_text(const std::vector<Port>& ports, const LaunchRequest& request, int report_fd,
                        std::uint64_t line_bits_per_s, const ClockOption& clock);

}  // namespace softcx
