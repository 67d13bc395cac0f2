// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Files of a folder that several processes write and read at once, and that are whole or not there,
// also after a crash of any of them or of the machine.
//
// A file is written under another name, with a lock on it, and renamed once it is on the disk. What
// nobody has a lock on was left over by a crash.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <span>

namespace ringside {

/// Puts the pieces into `path`, one after the other. false: it could not, or another process is
/// just writing that file; what was there before stays.
bool write_whole_file(const std::filesystem::path& path,
                      std::initializer_list<std::span<const char>> pieces) noexcept;

/// Removes from `folder` what crashes have left over there.
void remove_left_overs(const std::filesystem::path& folder) noexcept;

}  // namespace ringside
