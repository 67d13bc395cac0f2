// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// A traced run as Perfetto and chrome://tracing load it.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "lib/runtime/stream_tracer.hpp"

namespace ringside {

/// Takes the next piece of a text.
using TextSink = std::function<void(std::string_view)>;

/// Trace Event Format: each batch's steps, a process a stream; and before it, as "latency", the
/// breakdown of each stream; errors that stopped a queue, and that it went on, are instants. All of
/// one moment's times are the host's, in microseconds since the first that is told of. A piece
/// holds an event or two: a run's events can be many.
void write_trace_json(std::span<const TracedStream> streams, const TextSink& put);

}  // namespace ringside
