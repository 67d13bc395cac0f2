// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include <fmt/core.h>

#include "lib/cli/reports.hpp"

namespace ringside::cli {
namespace {

std::string rx_line(const StreamStats& stream) {
  std::string text = fmt::format("  RX queue {}: packets {} bytes {} errors {}", stream.rx_queue,
                                 stream.rx_packets, stream.rx_bytes, stream.rx_errors);
  if (stream.queues) text += fmt::format(" batches {}", stream.queues->rx_batches);
  return text + '\n';
}

std::string tx_line(const StreamStats& stream) {
  std::string text = fmt::format("  TX queue {}: packets {} bytes {} errors {}", stream.tx_queue,
                                 stream.tx_packets, stream.tx_bytes, stream.tx_errors);
  if (stream.queues) {
    const QueueCounts& queue = *stream.queues;
    text += fmt::format(" doorbells {} completions {} ring-full {} in-flight {}",
                        queue.tx_doorbells, queue.tx_cqes, queue.tx_waits, queue.tx_in_flight);
  }
  return text + '\n';
}

/// Drops stand by the queue that the packets came from.
std::string drop_line(const StreamStats& stream) {
  std::string text;
  for (const auto& [cause, packets] : stream.drop_causes) {
    if (packets > 0) text += fmt::format("{} {} {}", text.empty() ? "" : ",", cause, packets);
  }
  return text.empty() ? text : fmt::format("    dropped:{}\n", text);
}

}  // namespace

std::string queue_stats_report(std::uint16_t port, std::span<const StreamStats> streams) {
  constexpr std::string_view kBorder = "----------------------";
  std::string text = fmt::format("\n  {0} Queue statistics for port {1:<2} {0}\n", kBorder, port);
  for (const StreamStats& stream : streams) {
    if (stream.rx_port != port) continue;
    text += rx_line(stream) + drop_line(stream);
    if (!stream.error.empty()) text += fmt::format("    stopped: {}\n", stream.error);
  }
  for (const StreamStats& stream : streams) {
    if (stream.tx_port == port) text += tx_line(stream);
  }
  return text;
}

}  // namespace ringside::cli
