// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What packet programs are told of the port that they send by.
#pragma once

#include <cstdint>

#include "lib/device/stream.hpp"
#include "lib/runtime/runtime.hpp"

namespace ringside {

/// Of an ethdev port. Throws Error.
MacAddress mac_of(std::uint16_t port);
/// `mac`: of the sending port.
ProgramArgs program_args(const RuntimeConfig& config, std::uint16_t port, const MacAddress& mac);

}  // namespace ringside
