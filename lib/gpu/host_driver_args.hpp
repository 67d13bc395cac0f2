// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#pragma once

#include <optional>
#include <string>

#include "lib/gpu/host_memory.hpp"

namespace ringside {

/// Reads "opaque=1,memory=SIZE,iomem=denied"; nullopt: `problem` says what is wrong with it.
std::optional<HostMemoryConfig> parse_host_driver_args(const std::string& name, const char* args,
                                                       std::string& problem);

}  // namespace ringside
