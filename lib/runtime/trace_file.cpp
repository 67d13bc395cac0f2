// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/trace_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>

#include "lib/base/error.hpp"
#include "lib/runtime/trace_json.hpp"

namespace ringside {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

std::string row(std::string_view name, const LatencyStats& stats) {
  return fmt::format("  {:<22} {:>10} {:>10} {:>10} {:>10} {:>10} {:>12.1f}\n", name, stats.min,
                     stats.p50, stats.p90, stats.p99, stats.max, stats.mean);
}

Error refusal(const std::string& path, int error) {
  return Error(fmt::format("cannot write the trace to {}: {}", path, errno_text(error)),
               "make it writable, or name another file by --trace");
}

/// `how`: further flags of open(). Never waits for a pipe's reader.
File open_file(const std::string& path, int how) {
  constexpr mode_t kForAll = 0666;  // but for what the umask says
  const int descriptor =
      open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | how, kForAll);
  if (descriptor < 0) throw refusal(path, errno);
  File file(fdopen(descriptor, "w"), std::fclose);
  if (file == nullptr) throw refusal(path, errno);
  return file;
}

}  // namespace

std::string latency_table(std::span<const TracedStream> streams) {
  std::string text;
  for (const TracedStream& stream : streams) {
    text += fmt::format("\n  Latency of {}, {} batches, in ns", name_of(stream.queues),
                        stream.batches.size());
    if (stream.lost_events != 0) {
      text +=
          fmt::format(" (the last ones; {} events before were written over)", stream.lost_events);
    }
    text += '\n';
    if (const auto recoveries = std::ranges::count(stream.changes, true, &QueueChange::recovered)) {
      text += fmt::format("  queues went on after an error: {} times\n", recoveries);
    }
    if (!stream.fault.empty()) text += fmt::format("  none: {}\n", stream.fault);
    if (stream.batches.empty()) continue;
    text += fmt::format("  {:<22} {:>10} {:>10} {:>10} {:>10} {:>10} {:>12}\n", "step", "min",
                        "p50", "p90", "p99", "max", "mean");
    const LatencySpan& span = stream.latency.span;
    for (std::size_t step = span.first; step < span.last; ++step) {
      text += row(kLatencyStepNames[step], stream.latency.steps[step]);
    }
    text +=
        row(fmt::format("{} to {}", kLatencyPointNames[span.first], kLatencyPointNames[span.last]),
            stream.latency.whole);
    text += fmt::format(
        "  clocks were read to within {} ns (receiving NIC), {} ns (sending NIC), {} ns (GPU)\n",
        stream.receiving_nic_off_ns, stream.sending_nic_off_ns, stream.gpu_off_ns);
  }
  return text;
}

void check_trace_file(const std::string& path) {
  open_file(path, 0);
}

void write_trace(const std::string& path, std::span<const TracedStream> streams) {
  File file = open_file(path, O_TRUNC);
  write_trace_json(streams, [&](std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) {
      throw refusal(path, errno);
    }
  });
  // Which writes what is buffered.
  if (std::fclose(file.release()) != 0) throw refusal(path, errno);
}

}  // namespace ringside
