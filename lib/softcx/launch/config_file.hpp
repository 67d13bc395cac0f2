// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the preload library needs to know, as one JSON file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/softcx/launch/port.hpp"

namespace softcx {

/// For SOFTCX_CONFIG.
inline constexpr const char* kConfigFile = "/dev/shm/softcx/config.json";

/// The file's text. `faults` have been checked; `report_fd` is where the library writes its
/// counters at exit; `engines`: how many engine threads it starts, 0: as many as it thinks
/// best; `line_bits_per_s`: 0 for lines on which frames take no time.
std::string config_text(const std::vector<Port>& ports, const std::vector<std::string>& faults,
                        int report_fd, std::size_t engines, std::uint64_t line_bits_per_s);

}  // namespace softcx
