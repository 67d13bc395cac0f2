// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "tests/unit/known_chains.hpp"

#include "tests/unit/one_port.hpp"

namespace ringside::test {
namespace {

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
  const pipeline::Config config = one_port(kPipelines[number - 1]);
  return pipeline::build_chain(config.pipelines.at(0), 0, config.tables, {});
}

}  // namespace ringside::test
