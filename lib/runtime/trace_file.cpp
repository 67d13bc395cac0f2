// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>

#include "lib/base/error.hpp"

namespace ringside {
namespace {

using Json = nlohmann::ordered_json;

/// Steps that the kernel takes one after the other; the others are the NIC's, and those of several
/// batches overlap.
constexpr bool is_kernels(std::size_t step) {
  return step >= 1 && step <= 3;
}

std::string name_of(const StreamQueues& queues) {
  return fmt::format("port {} queue {} to port {} queue {}", queues.rx_port, queues.rx_queue,
                     queues.tx_port, queues.tx_queue);
}

std::string row(std::string_view name, const LatencyStats& stats) {
  return fmt::format("  {:<22} {:>10} {:>10} {:>10} {:>10} {:>10} {:>12.1f}\n", name, stats.min,
                     stats.p50, stats.p90, stats.p99, stats.max, stats.mean);
}

Json json_of(const LatencyStats& stats) {
  return {{"min", stats.min}, {"p50", stats.p50}, {"p90", stats.p90},
          {"p99", stats.p99}, {"max", stats.max}, {"mean", stats.mean}};
}

Json json_of(const TracedStream& stream) {
  Json json{{"rx_port", stream.queues.rx_port},
            {"rx_queue", stream.queues.rx_queue},
            {"tx_port", stream.queues.tx_port},
            {"tx_queue", stream.queues.tx_queue},
            {"unit", "ns"},
            {"batches", stream.latency.batches},
            {"lost_events", stream.lost_events},
            {"clocks_off",
             {{"receiving_nic", stream.receiving_nic_off_ns},
              {"sending_nic", stream.sending_nic_off_ns},
              {"gpu", stream.gpu_off_ns}}},
            {"fault", stream.fault}};
  json["steps"] = Json::object();
  if (stream.batches.empty()) return json;
  for (std::size_t step = 0; step < kLatencySteps; ++step) {
    json["steps"][std::string(kLatencyStepNames[step])] = json_of(stream.latency.steps[step]);
  }
  json["whole"] = json_of(stream.latency.whole);
  return json;
}

/// The format has microseconds, as fractions.
double microseconds(std::uint64_t at_ns, std::uint64_t base_ns) {
  return static_cast<double>(static_cast<std::int64_t>(at_ns - base_ns)) / 1000.0;
}

void add_batch(Json& events, std::size_t process, const BatchTimes& batch, std::uint64_t base_ns) {
  const Json about{{"first", batch.first}, {"received", batch.received}, {"sent", batch.sent}};
  for (std::size_t step = 0; step < kLatencySteps; ++step) {
    Json event{{"name", kLatencyStepNames[step]},
               {"cat", is_kernels(step) ? "kernel" : "NIC"},
               {"pid", process},
               {"tid", 0},
               {"ts", microseconds(batch.at_ns[step], base_ns)}};
    if (is_kernels(step)) {
      event["ph"] = "X";
      event["dur"] = static_cast<double>(batch.step_ns(step)) / 1000.0;
      event["args"] = about;
      events.push_back(std::move(event));
      continue;
    }
    event["id"] = batch.first;
    Json end = event;
    event["ph"] = "b";
    event["args"] = about;
    end["ph"] = "e";
    end["ts"] = microseconds(batch.at_ns[step + 1], base_ns);
    events.push_back(std::move(event));
    events.push_back(std::move(end));
  }
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
    if (!stream.fault.empty()) text += fmt::format("  none: {}\n", stream.fault);
    if (stream.batches.empty()) continue;
    text += fmt::format("  {:<22} {:>10} {:>10} {:>10} {:>10} {:>10} {:>12}\n", "step", "min",
                        "p50", "p90", "p99", "max", "mean");
    for (std::size_t step = 0; step < kLatencySteps; ++step) {
      text += row(kLatencyStepNames[step], stream.latency.steps[step]);
    }
    text += row("wire to completed", stream.latency.whole);
    text += fmt::format(
        "  clocks were read to within {} ns (receiving NIC), {} ns (sending NIC), {} ns (GPU)\n",
        stream.receiving_nic_off_ns, stream.sending_nic_off_ns, stream.gpu_off_ns);
  }
  return text;
}

std::string trace_json(std::span<const TracedStream> streams) {
  std::uint64_t base_ns = ~std::uint64_t{0};
  for (const TracedStream& stream : streams) {
    for (const BatchTimes& batch : stream.batches) base_ns = std::min(base_ns, batch.at_ns[0]);
  }
  Json json{{"displayTimeUnit", "ns"}, {"latency", Json::array()}, {"traceEvents", Json::array()}};
  for (std::size_t i = 0; i < streams.size(); ++i) {
    json["latency"].push_back(json_of(streams[i]));
    json["traceEvents"].push_back({{"ph", "M"},
                                   {"name", "process_name"},
                                   {"pid", i},
                                   {"args", {{"name", name_of(streams[i].queues)}}}});
    for (const BatchTimes& batch : streams[i].batches) {
      add_batch(json["traceEvents"], i, batch, base_ns);
    }
  }
  return json.dump() + "\n";
}

void write_trace(const std::string& path, std::span<const TracedStream> streams) {
  errno = 0;
  std::ofstream file(path);
  file << trace_json(streams);
  file.close();  // which writes what is buffered
  if (file) return;
  throw Error(fmt::format("cannot write the trace to {}: {}", path, errno_text(errno)),
              "name another file by --trace");
}

}  // namespace ringside
