// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// For tests of pipelines: the file around them, with a port that has a queue each way, and a table.
#pragma once

#include <stdexcept>
#include <string>

#include "lib/pipeline/load.hpp"

namespace ringside::test {

/// `pipelines`: from that key on; of port0.rx0, port0.tx0 and the table flows, which knows one flow
/// of softcx_steering_frames.hpp and one that no test sends, by the value 42. Throws with the first
/// error in the file.
inline pipeline::Config one_port(const std::string& pipelines) {
  constexpr const char* kHead = R"(
version: 1
memory_regions: [{name: packets}]
interfaces:
  - name: port0
    address: 0000:ca:00.0
    rx: {queues: [{name: rx0, memory_regions: [packets]}]}
    tx: {queues: [{name: tx0}]}
tables:
  - name: flows
    entries:
      - {src: 10.0.0.1, dst: 10.0.0.2, proto: 17, src_port: 7, dst_port: 8, value: 42}
      - {src: 192.0.2.1, dst: 198.51.100.1, proto: 17, src_port: 53, dst_port: 53, value: 42}
)";
  pipeline::Loaded loaded = pipeline::load_text(kHead + pipelines, "test.yaml", nullptr);
  for (const pipeline::Problem& problem : loaded.problems) {
    if (problem.severity == pipeline::Problem::Severity::kError) {
      throw std::runtime_error(to_text(problem));
    }
  }
  return std::move(loaded.config);
}

}  // namespace ringside::test
