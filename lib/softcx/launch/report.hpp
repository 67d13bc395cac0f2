// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What softcx says about a run when the command has ended.
#pragma once

#include <string>
#include <vector>

#include "lib/softcx/launch/port.hpp"

namespace softcx {

/// Lines for stderr. `text` holds one JSON object for each process that opened a port, as the
/// preload library writes them; empty text gives empty lines, text that cannot be read is said.
/// Every received packet is accounted for by name; what is missing is said.
std::string summarize(const std::string& text, const std::vector<Port>& ports);

}  // namespace softcx
