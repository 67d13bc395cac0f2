// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Five-tuples from a CSV file: a line of column names (src, dst, proto, src_port, dst_port, value;
// the first three are needed), then a line an entry. Empty lines and lines that begin with # do
// not count.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/pipeline/config.hpp"
#include "lib/pipeline/problems.hpp"

namespace ringside::pipeline {

/// `file` is relative to `folder`. What is wrong in it goes to `problems` with its place there, up
/// to 20 times; a file that cannot be read is a problem at `path`.
std::vector<TableEntry> read_table_file(const std::string& file, const std::string& folder,
                                        const std::string& path, Problems& problems);

/// The same for a text; `file` names it in problems.
std::vector<TableEntry> read_table_text(std::string_view text, const std::string& file,
                                        Problems& problems);

/// Why it cannot be an entry, or empty.
std::string complaint_of(const TableEntry& entry);
/// The five-tuple, so that equal ones have equal keys.
std::string key_of(const TableEntry& entry);

}  // namespace ringside::pipeline
