// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "tests/unit/known_chains.hpp"

#include <stdexcept>
#include <string>

#include "lib/pipeline/load.hpp"

namespace ringside::test {
namespace {

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
      - {src: 192.0.2.1, dst: 198.51.100.1, proto: 17, src_port: 53, dst_port: 53, value: 42}
)";

// By number, from 1 on. Together they have every op that needs neither a ring nor a clock.
constexpr const char* kPipelines[kKnownChains] = {R"(
pipelines:
  - name: protocols
    sources: [port0.rx0]
    stages:
      - parse: {malformed: drop}
      - count: {by: protocol}
      - split:
          rules:
            - {when: {udp: {dst: 53}}, to: dns}
            - {when: {tcp: {dst: 80}}, to: next}
            - {when: {ipv6: {src: "2001:db8::/32"}}, to: next}
            - {when: {vxlan: {}, inner: {ipv4: {ttl: 1-64}}}, to: next}
          otherwise: drop
      - rewrite: {set: {ipv4: {tos: 4, dst: 192.0.2.9}, ipv6: {hop: 9}, tcp: {src: 1}}}
      - join: {}
      - swap: {macs: true, ips: true, ports: true}
    branches:
      - name: dns
        stages:
          - lookup: {table: flows, otherwise: next}
          - match: {fields: {meta: {tag: 42}}, otherwise: next}
        then: join
    sinks: [{name: out, tx: [port0.tx0]}]
)",
                                                  R"(
pipelines:
  - name: balance
    sources: [port0.rx0]
    stages:
      - icmp_echo: {arp: false, to: out}
      - rewrite: {decrement_ttl: true}
      - load_balance:
          symmetric: true
          backends:
            - {mac: "02:00:00:00:01:01", ip: 192.0.2.1, weight: 4}
            - {mac: "02:00:00:00:01:02", ip: 192.0.2.2, to: out}
            - {mac: "02:00:00:00:01:03", to: drop}
      - police: {packet_rate: 1000, burst: 40, per: fields, fields: [ipv4.src, udp.dst]}
      - police: {packet_rate: 1000, burst: 90, per: five_tuple}
        name: tuples
      - count: {}
    sinks: [{name: out, tx: [port0.tx0]}]
)",
                                                  R"(
pipelines:
  - name: forward
    sources: [port0.rx0]
    sinks: [{name: out, tx: [port0.tx0]}]
)"};

}  // namespace

pipeline::ChainImage known_chain(int number) {
  const pipeline::Loaded loaded =
      pipeline::load_text(std::string(kHead) + kPipelines[number - 1], "known.yaml", nullptr);
  for (const pipeline::Problem& problem : loaded.problems) {
    if (problem.severity == pipeline::Problem::Severity::kError) {
      throw std::runtime_error(to_text(problem));
    }
  }
  return pipeline::build_chain(loaded.config.pipelines.at(0), 0, loaded.config.tables, {});
}

}  // namespace ringside::test
