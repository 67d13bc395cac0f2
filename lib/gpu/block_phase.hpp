// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What can be said of the blocks of a persistent kernel from their status words.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/device/stream.hpp"

namespace ringside {

/// "receives", "waits for its sends to complete", ...
const char* phase_text(BlockPhase phase) noexcept;

/// Blocks whose status words do not say that they have ended.
std::vector<unsigned> unfinished_blocks(std::span<const StreamArgs> streams);

/// "block 1 receives, block 3 waits for its sends to complete"
std::string blocks_text(std::span<const StreamArgs> streams, std::span<const unsigned> blocks);

/// For a kernel that does not end: says so, and at what (blocks_text(), or nothing), and terminates
/// the program, since what such a kernel uses can be neither freed nor kept from it.
[[noreturn]] void end_program_with(std::string_view kernel, std::string_view device,
                                   std::string_view blocks = {}) noexcept;

/// How long a kernel may take to end after its exit word: to see it, and to drain its sends.
std::uint64_t stop_ms(std::span<const StreamArgs> streams) noexcept;

}  // namespace ringside
