// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// --line-rate of the command line.
#pragma once

#include <cstdint>
#include <string_view>

namespace softcx {

/// "25G" or "100M" in bits a second. Throws a usage error.
std::uint64_t parse_line_rate(std::string_view text);

}  // namespace softcx
