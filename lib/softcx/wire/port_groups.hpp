// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Which ports must be served by one engine: a direct wire hands a frame from one port to another in
// a call.
#pragma once

#include <cstddef>
#include <vector>

#include "lib/softcx/nic/config.hpp"

namespace softcx {

/// For each port the number of its group. Groups are numbered from 0 on without a gap: cross-wired
/// ports are one, every other port is one by itself.
std::vector<std::size_t> port_groups(const Config& config);

}  // namespace softcx
