// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a run came to: every packet that was received, by where it went.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/pipeline/engine.hpp"

namespace ringside::pipeline {

struct NamedCount {
  std::string name;
  std::uint64_t packets;
};

struct PortReport {
  std::string name;
  PortStats stats;
  std::vector<FlowHits> flows;
};

/// A stream: its two queues, by their ports' names, and what was counted of them.
struct QueuePair {
  std::string rx_port, tx_port;
  StreamStats stats;
};

struct RunReport {
  double seconds = 0;
  std::vector<PortReport> ports;
  std::vector<QueuePair> queues;
  std::vector<StageCount> stages;
  std::vector<SinkCount> sinks;
  std::vector<GeneratorCount> generators;
  std::uint64_t received = 0, generated = 0, sent = 0, consumed = 0, dropped = 0;
  std::vector<NamedCount> causes;        ///< of the dropped
  std::vector<NamedCount> lost_samples;  ///< copies that found no room; their packets went on
  std::vector<std::string> errors;       ///< what stopped streams
  std::vector<std::string> sink_errors;  ///< captures that are not complete

  /// received + generated == sent + consumed + dropped, and the causes are all of the dropped.
  bool adds_up() const;
};

/// `names`: of the ports, in the order of runtime.ports().
RunReport make_report(Runtime& runtime, const Engine& engine,
                      const std::vector<std::string>& names);

std::string report_text(const RunReport& report);
std::string report_json(const RunReport& report);

}  // namespace ringside::pipeline
