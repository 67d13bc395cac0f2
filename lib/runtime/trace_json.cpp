// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/runtime/trace_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

namespace ringside {
namespace {

using Json = nlohmann::ordered_json;

/// Steps that the kernel takes one after the other; the others are the NIC's, and those of several
/// batches overlap.
constexpr bool is_kernels(std::size_t step) {
  return step >= 1 && step <= 3;
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
            {"recoveries", std::ranges::count(stream.changes, true, &QueueChange::recovered)},
            {"clocks_off",
             {{"receiving_nic", stream.receiving_nic_off_ns},
              {"sending_nic", stream.sending_nic_off_ns},
              {"gpu", stream.gpu_off_ns}}},
            {"fault", stream.fault}};
  json["steps"] = Json::object();
  if (stream.batches.empty()) return json;
  for (std::size_t step = stream.latency.span.first; step < stream.latency.span.last; ++step) {
    json["steps"][std::string(kLatencyStepNames[step])] = json_of(stream.latency.steps[step]);
  }
  json["whole"] = json_of(stream.latency.whole);
  return json;
}

/// Elements of an array, in pieces.
class ArrayWriter {
 public:
  explicit ArrayWriter(const TextSink& put) : put_(put) {}

  void add(std::string_view element) {
    put_(first_ ? "\n" : ",\n");
    first_ = false;
    put_(element);
  }

 private:
  const TextSink& put_;
  bool first_ = true;
};

class EventWriter {
 public:
  EventWriter(const TextSink& put, std::uint64_t base_ns) : array_(put), base_ns_(base_ns) {}

  void name_process(std::size_t process, const StreamQueues& queues) {
    array_.add(Json{{"ph", "M"},
                    {"name", "process_name"},
                    {"pid", process},
                    {"args", {{"name", name_of(queues)}}}}
                   .dump());
  }

  void add_change(std::size_t process, const QueueChange& change) {
    add(R"({{"name":"{} queue {}","cat":"error","ph":"i","s":"p","pid":{},"tid":0,"ts":{},)"
        R"("args":{{"{}":{}}}}})",
        change.of_sends ? "send" : "receive", change.recovered ? "goes on" : "stopped", process,
        at(change.at_ns), change.recovered ? "lost" : "syndrome", change.count);
  }

  void add_batch(std::size_t process, const BatchTimes& batch, const LatencySpan& span) {
    const std::string about = fmt::format(R"({{"first":{},"received":{},"sent":{}}})", batch.first,
                                          batch.received, batch.sent);
    for (std::size_t step = span.first; step < span.last; ++step) {
      const std::string_view name = kLatencyStepNames[step];
      if (is_kernels(step)) {
        add(R"({{"name":"{}","cat":"kernel","ph":"X","pid":{},"tid":0,"ts":{},"dur":{},"args":{}}})",
            name, process, at(batch.at_ns[step]), microseconds(batch.step_ns(step)), about);
        continue;
      }
      add(R"({{"name":"{}","cat":"NIC","ph":"b","pid":{},"tid":0,"ts":{},"id":{},"args":{}}})",
          name, process, at(batch.at_ns[step]), batch.first, about);
      add(R"({{"name":"{}","cat":"NIC","ph":"e","pid":{},"tid":0,"ts":{},"id":{}}})", name, process,
          at(batch.at_ns[step + 1]), batch.first);
    }
  }

 private:
  template <class... Values>
  void add(fmt::format_string<const Values&...> format, const Values&... values) {
    text_.clear();
    fmt::format_to(std::back_inserter(text_), format, values...);
    array_.add({text_.data(), text_.size()});
  }

  /// The format has microseconds, as fractions.
  static std::string microseconds(std::int64_t ns) {
    const std::uint64_t size = ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : ns;
    return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", size / 1000, size % 1000);
  }
  std::string at(std::uint64_t at_ns) const {
    return microseconds(static_cast<std::int64_t>(at_ns - base_ns_));
  }

  ArrayWriter array_;
  const std::uint64_t base_ns_;
  fmt::memory_buffer text_;
};

std::uint64_t first_ns(std::span<const TracedStream> streams) {
  std::uint64_t first = ~std::uint64_t{0};
  for (const TracedStream& stream : streams) {
    const std::size_t point = stream.latency.span.first;
    for (const BatchTimes& batch : stream.batches) first = std::min(first, batch.at_ns[point]);
    for (const QueueChange& change : stream.changes) first = std::min(first, change.at_ns);
  }
  return first;
}

}  // namespace

void write_trace_json(std::span<const TracedStream> streams, const TextSink& put) {
  put(R"({"displayTimeUnit":"ns","latency":[)");
  ArrayWriter latency(put);
  for (const TracedStream& stream : streams) latency.add(json_of(stream).dump());
  put("\n],\"traceEvents\":[");
  EventWriter events(put, first_ns(streams));
  for (std::size_t i = 0; i < streams.size(); ++i) {
    events.name_process(i, streams[i].queues);
    for (const QueueChange& change : streams[i].changes) events.add_change(i, change);
    for (const BatchTimes& batch : streams[i].batches) {
      events.add_batch(i, batch, streams[i].latency.span);
    }
  }
  put("\n]}\n");
}

}  // namespace ringside
