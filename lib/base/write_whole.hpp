// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Writing to a file descriptor until all is there.
#pragma once

#include <span>

namespace ringside {

/// Goes on after signals and short writes (write(2)). false: not all could be written; errno says
/// why, or is 0 where the file took nothing without an error.
bool write_whole(int file, std::span<const char> bytes) noexcept;

}  // namespace ringside
