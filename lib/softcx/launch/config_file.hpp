// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the preload library needs to know, as one JSON file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lib/softcx/launch/port.hpp"

namespace softcx {

/// For SOFTCX_CONFIG.
inline constexpr const char* kConfigFile = "/dev/shm/softcx/config.json";

/// The file's text. `faults` have been checked; `report_fd` is where the library writes its
/// counters at exit; `engines`: how many engine threads it starts, 0: as many as it thinks best.
std::string config_text(const std::vector<Port>& ports, const std::vector<std::string>& faults,
                        int report_fd, std::size_t engines);

}  // namespace softcx
