// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a traced run is shown as.
#pragma once

#include <span>
#include <string>

#include "lib/runtime/stream_tracer.hpp"

namespace ringside {

/// A table a stream.
std::string latency_table(std::span<const TracedStream> streams);

/// Trace Event Format, which Perfetto and chrome://tracing load: each batch's steps, a process a
/// stream; and beside it, as "latency", the breakdown of each stream. All of one moment's times are
/// the host's, in microseconds since the first batch arrived.
std::string trace_json(std::span<const TracedStream> streams);

/// Throws Error.
void write_trace(const std::string& path, std::span<const TracedStream> streams);

}  // namespace ringside
