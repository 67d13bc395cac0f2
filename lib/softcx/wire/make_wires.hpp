// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Builds the wires of all ports. Throws ringside::Error.
#pragma once

#include <memory>
#include <vector>

#include "lib/softcx/nic/config.hpp"
#include "lib/softcx/wire/wire.hpp"

namespace softcx {

/// One wire a port, in the order of `config.ports`.
std::vector<std::unique_ptr<Wire>> make_wires(const Config& config);

}  // namespace softcx
