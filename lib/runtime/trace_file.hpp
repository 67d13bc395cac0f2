// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Where a traced run is written, and the table that is printed of it.
#pragma once

#include <span>
#include <string>

#include "lib/runtime/stream_tracer.hpp"

namespace ringside {

/// A table a stream.
std::string latency_table(std::span<const TracedStream> streams);

/// Before a run: whether its trace can be written. Makes the file; one that is there stays as it
/// is. Throws Error.
void check_trace_file(const std::string& path);

/// The run (trace_json.hpp), in place of what the file holds. Throws Error.
void write_trace(const std::string& path, std::span<const TracedStream> streams);

}  // namespace ringside
