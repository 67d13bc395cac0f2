// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/run_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

namespace ringside::pipeline {
namespace {

using Json = nlohmann::ordered_json;

/// The drops of a data path that its stages' counters tell apart.
constexpr std::string_view kByProgram = "program";

std::string cause_of(const StageCount& count, std::size_t pipelines) {
  return pipelines > 1 ? fmt::format("{}: {}", count.pipeline, count.stage.name) : count.stage.name;
}

std::size_t pipelines_in(const std::vector<StageCount>& stages) {
  std::size_t count = 0;
  std::string_view last;
  for (const StageCount& stage : stages) {
    if (stage.pipeline != last) ++count;
    last = stage.pipeline;
  }
  return count;
}

void add_to(std::vector<NamedCount>& counts, const std::string& name, std::uint64_t packets) {
  for (NamedCount& count : counts) {
    if (count.name != name) continue;
    count.packets += packets;
    return;
  }
  counts.push_back({name, packets});
}

/// A flow may have become two rules.
std::vector<FlowHits> joined_by_name(const std::vector<FlowHits>& rules) {
  std::vector<FlowHits> flows;
  for (const FlowHits& rule : rules) {
    if (flows.empty() || flows.back().name != rule.name) flows.push_back({rule.name, 0, 0});
    flows.back().packets += rule.packets;
    flows.back().bytes += rule.bytes;
  }
  return flows;
}

Json queues_json(const std::vector<QueuePair>& queues) {
  Json all = Json::array();
  for (const QueuePair& pair : queues) {
    const StreamStats& stats = pair.stats;
    Json rx{{"port", pair.rx_port},
            {"queue", stats.rx_queue},
            {"packets", stats.rx_packets},
            {"bytes", stats.rx_bytes},
            {"errors", stats.rx_errors}};
    Json tx{{"port", pair.tx_port},
            {"queue", stats.tx_queue},
            {"packets", stats.tx_packets},
            {"bytes", stats.tx_bytes},
            {"errors", stats.tx_errors}};
    if (stats.queues) {
      rx["batches"] = stats.queues->rx_batches;
      tx["doorbells"] = stats.queues->tx_doorbells;
      tx["completions"] = stats.queues->tx_cqes;
      tx["ring_full"] = stats.queues->tx_waits;
      tx["in_flight"] = stats.queues->tx_in_flight;
    }
    all.push_back({{"rx", rx}, {"tx", tx}, {"stopped_by", stats.error}});
  }
  return all;
}

const char* role_word(StageRole role) {
  switch (role) {
    case StageRole::kDrop:
      return "dropped";
    case StageRole::kConsumed:
      return "consumed";
    case StageRole::kCopied:
      return "copied";
    case StageRole::kCount:
    case StageRole::kStep:
      break;
  }
  return "";
}

}  // namespace

bool RunReport::adds_up() const {
  const std::uint64_t by_cause =
      std::accumulate(causes.begin(), causes.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const NamedCount& one) { return sum + one.packets; });
  return received + generated == sent + consumed + dropped && by_cause == dropped;
}

RunReport make_report(Runtime& runtime, const Engine& engine,
                      const std::vector<std::string>& names) {
  RunReport report;
  const std::vector<std::uint16_t> ports = runtime.ports();
  for (std::size_t i = 0; i < ports.size(); ++i) {
    report.ports.push_back(
        {names.at(i), runtime.port_stats(ports[i]), joined_by_name(runtime.flow_counts(ports[i]))});
  }
  report.stages = engine.stage_counts();
  report.sinks = engine.sink_counts();
  report.generators = engine.generator_counts();
  report.sink_errors = engine.sink_errors();
  const std::size_t pipelines = pipelines_in(report.stages);
  for (const StageCount& count : report.stages) {
    const std::string cause = cause_of(count, pipelines);
    if (count.stage.role == StageRole::kDrop) add_to(report.causes, cause, count.counters.on);
    if (count.stage.role == StageRole::kCopied) {
      add_to(report.lost_samples, cause, count.counters.otherwise);
    }
  }
  const auto name_of = [&](std::uint16_t port) {
    return names.at(static_cast<std::size_t>(std::ranges::find(ports, port) - ports.begin()));
  };
  for (const StreamStats& stream : runtime.stream_stats()) {
    report.queues.push_back({name_of(stream.rx_port), name_of(stream.tx_port), stream});
    report.received += stream.rx_packets;
    report.generated += stream.tx_generated;
    report.sent += stream.tx_packets;
    report.consumed += stream.consumed;
    report.dropped += stream.dropped;
    for (const auto& [cause, packets] : stream.drop_causes) {
      if (cause != kByProgram && packets != 0) add_to(report.causes, cause, packets);
    }
    if (!stream.error.empty()) report.errors.push_back(stream.error);
  }
  return report;
}

std::string report_text(const RunReport& report) {
  std::string text;
  for (const PortReport& port : report.ports) {
    text += fmt::format(
        "{}: received {} packets ({} bytes), missed {}, errors {}; sent {} ({} bytes)\n", port.name,
        port.stats.rx_packets, port.stats.rx_bytes, port.stats.rx_missed, port.stats.rx_errors,
        port.stats.tx_packets, port.stats.tx_bytes);
    for (const FlowHits& flow : port.flows) {
      text += fmt::format("  flow {}: {} packets, {} bytes\n", flow.name, flow.packets, flow.bytes);
    }
  }
  std::string_view pipeline, kernel;
  for (const StageCount& count : report.stages) {
    if (count.pipeline != pipeline) {
      pipeline = kernel = count.pipeline;  // as a kernel that is the only one
      text += fmt::format("pipeline {}\n  {:<24} {:<13} {:>12} {:>15} {:>12}\n", pipeline, "stage",
                          "kind", "packets", "bytes", "otherwise");
    }
    if (count.kernel != kernel) {
      kernel = count.kernel;
      text += fmt::format("  kernel {}\n", kernel);
    }
    const bool has_bytes = count.stage.role != StageRole::kStep;
    text +=
        fmt::format("  {:<24} {:<13} {:>12} {:>15} {:>12} {}\n", count.stage.name, count.stage.kind,
                    count.counters.on, has_bytes ? fmt::to_string(count.counters.on_bytes) : "",
                    count.counters.otherwise, role_word(count.stage.role));
  }
  for (const SinkCount& sink : report.sinks) {
    text += fmt::format("sink {}: {} written, {} lost", sink.sink, sink.written, sink.lost);
    if (sink.sent + sink.unsent != 0) {
      text += fmt::format("; {} came back and were sent, {} too large", sink.sent, sink.unsent);
    }
    text += "\n";
  }
  for (const GeneratorCount& one : report.generators) {
    text += fmt::format("generator {}: {} packets\n", one.generator, one.packets);
  }
  const std::string generated =
      report.generators.empty() ? "" : fmt::format(" + generated {}", report.generated);
  text += fmt::format("received {}{} == sent {} + consumed {} + dropped {}{}\n", report.received,
                      generated, report.sent, report.consumed, report.dropped,
                      report.adds_up() ? "" : "  THIS DOES NOT ADD UP");
  for (const NamedCount& cause : report.causes) {
    text += fmt::format("  dropped by {}: {}\n", cause.name, cause.packets);
  }
  for (const NamedCount& lost : report.lost_samples) {
    text += fmt::format("  copies lost by {}: {}\n", lost.name, lost.packets);
  }
  for (const std::string& error : report.errors) text += fmt::format("  stopped: {}\n", error);
  for (const std::string& error : report.sink_errors) text += fmt::format("  {}\n", error);
  return text;
}

std::string report_json(const RunReport& report) {
  const auto named = [](const std::vector<NamedCount>& counts) {
    Json json = Json::object();
    for (const NamedCount& count : counts) json[count.name] = count.packets;
    return json;
  };
  Json json{{"seconds", report.seconds},
            {"received", report.received},
            {"generated", report.generated},
            {"sent", report.sent},
            {"consumed", report.consumed},
            {"dropped", report.dropped},
            {"adds_up", report.adds_up()},
            {"drop_causes", named(report.causes)},
            {"lost_samples", named(report.lost_samples)},
            {"errors", report.errors},
            {"sink_errors", report.sink_errors}};
  json["generators"] = Json::object();
  for (const GeneratorCount& one : report.generators) {
    json["generators"][one.generator] = one.packets;
  }
  json["ports"] = Json::array();
  for (const PortReport& port : report.ports) {
    Json flows = Json::array();
    for (const FlowHits& flow : port.flows) {
      flows.push_back({{"name", flow.name}, {"packets", flow.packets}, {"bytes", flow.bytes}});
    }
    json["ports"].push_back({{"name", port.name},
                             {"rx_packets", port.stats.rx_packets},
                             {"rx_bytes", port.stats.rx_bytes},
                             {"rx_missed", port.stats.rx_missed},
                             {"rx_errors", port.stats.rx_errors},
                             {"tx_packets", port.stats.tx_packets},
                             {"tx_bytes", port.stats.tx_bytes},
                             {"tx_errors", port.stats.tx_errors},
                             {"flows", flows}});
  }
  json["queues"] = queues_json(report.queues);
  json["stages"] = Json::array();
  for (const StageCount& count : report.stages) {
    json["stages"].push_back({{"pipeline", count.pipeline},
                              {"kernel", count.kernel},
                              {"name", count.stage.name},
                              {"kind", count.stage.kind},
                              {"packets", count.counters.on},
                              {"otherwise", count.counters.otherwise}});
    if (count.stage.role != StageRole::kStep) {
      json["stages"].back()["bytes"] = count.counters.on_bytes;
    }
  }
  json["sinks"] = Json::array();
  for (const SinkCount& sink : report.sinks) {
    json["sinks"].push_back({{"pipeline", sink.pipeline},
                             {"name", sink.sink},
                             {"written", sink.written},
                             {"lost", sink.lost},
                             {"sent", sink.sent},
                             {"unsent", sink.unsent}});
  }
  return json.dump(2) + "\n";
}

}  // namespace ringside::pipeline
