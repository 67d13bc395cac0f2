// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/container_types.hpp"
#include "lib/pipeline/field_name_type.hpp"
#include "lib/pipeline/match_type.hpp"
#include "lib/pipeline/scalar_types.hpp"
#include "lib/pipeline/schema.hpp"

namespace ringside::pipeline {

/// For alternative().
StageParams& variant_of(Stage& stage) {
  return stage.params;
}

namespace {

constexpr TargetChoice kSinkOnly{.next = false, .drop = false, .branch = false};

TypeOf<Match> stage_match() {
  static const TypeOf<Match> kMatch = defined("stage_match", match(Matcher::kStage));
  return kMatch;
}

TypeOf<LoadBalanceStage> load_balance_type() {
  using Hash = stages::HashOver;
  using Backend = LoadBalanceStage::Backend;
  const auto backend = object<Backend>({
      key("mac", &Backend::mac, optional("none", mac_address()), "becomes eth.dst"),
      key("ip", &Backend::ip, optional("none", ip_address()), "becomes the destination address"),
      key("weight", &Backend::weight, number<std::uint16_t>({.min = 1, .max = 1000}),
          "share of the flows"),
      key("to", &Backend::to, target(), "where its packets go"),
  });
  return object<LoadBalanceStage>({
      key("hash", &LoadBalanceStage::hash,
          choice<Hash>({{Hash::kFiveTuple, "five_tuple"},
                        {Hash::kIpPair, "ip_pair"},
                        {Hash::kSourceIp, "source_ip"},
                        {Hash::kDestinationIp, "destination_ip"}}),
          "what decides"),
      key("symmetric", &LoadBalanceStage::symmetric, boolean(),
          "both directions of a flow to the same backend"),
      lead(required(key("backends", &LoadBalanceStage::backends, list(backend, 1, 256),
                        "what there is to choose from"))),
  });
}

TypeOf<PoliceStage> police_type() {
  using Per = PoliceStage::Per;
  return object<PoliceStage>({
      key("bit_rate", &PoliceStage::bit_rate,
          optional("none", number<std::uint64_t>(
                               {.min = 1000, .max = 800'000'000'000, .unit = Unit::kBitRate})),
          "bits a second of frames without FCS; this or packet_rate"),
      key("packet_rate", &PoliceStage::packet_rate,
          optional("none", number<std::uint64_t>(
                               {.min = 1, .max = 1'000'000'000, .unit = Unit::kPacketRate})),
          "packets a second"),
      key("burst", &PoliceStage::burst,
          optional("auto",
                   number<std::uint64_t>({.min = 1, .max = 1U << 30, .unit = Unit::kBytes})),
          "bytes, or packets for a packet_rate, that may come at once; auto: 10 ms of the rate"),
      key("per", &PoliceStage::per,
          choice<Per>({{Per::kPipeline, "pipeline"},
                       {Per::kQueue, "queue"},
                       {Per::kFiveTuple, "five_tuple"},
                       {Per::kIpPair, "ip_pair"},
                       {Per::kSourceIp, "source_ip"},
                       {Per::kDestinationIp, "destination_ip"},
                       {Per::kFields, "fields"}}),
          "what has this rate: all packets together, those of each source, or of each flow that "
          "addresses and ports or the fields tell apart"),
      if_set(key("fields", &PoliceStage::fields, list(field_name(), 1, 8),
                 "fields that tell flows apart, for per: fields")),
      key("buckets", &PoliceStage::buckets,
          optional("auto", number<std::uint32_t>({.min = 1, .max = 4'000'000})),
          "of flows, 8 bytes of GPU memory each; flows whose hash is the same share a rate; auto: "
          "65536"),
      key("exceed", &PoliceStage::exceed, target(), "where packets above the rate go"),
  });
}

TypeOf<SplitStage> split_type() {
  using Rule = SplitStage::Rule;
  const auto rule = object<Rule>({
      required(key("when", &Rule::when, stage_match(), "which packets")),
      required(key("to", &Rule::to, target(), "where they go")),
  });
  return object<SplitStage>({
      lead(required(key("rules", &SplitStage::rules, list(rule, 1, 64),
                        "the first one that matches decides"))),
      key("otherwise", &SplitStage::otherwise, target(), "where packets go that no rule matches"),
  });
}

TypeOf<UserStage> user_type() {
  return object<UserStage>({
      if_set(key("object", &UserStage::object, free_text(), "shared object that has the function")),
      if_set(key("source", &UserStage::source, free_text(),
                 "source file that has it, compiled at start; this or object")),
      required(key("function", &UserStage::function,
                   text("^[A-Za-z_][A-Za-z0-9_]*$", "the name of a C function"), "its name")),
      key("params", &UserStage::params, list(number<std::uint64_t>({}), 0, 16),
          "numbers that it is given"),
  });
}

TypeOf<Stage> stage_type() {
  const auto parse = object<ParseStage>({
      key("vxlan_port", &ParseStage::vxlan_port, number<std::uint16_t>({.min = 1}),
          "UDP port of VXLAN"),
      key("gtpu_port", &ParseStage::gtpu_port, number<std::uint16_t>({.min = 1}),
          "UDP port of GTP-U"),
      key("ecpri_ethertype", &ParseStage::ecpri_ethertype, number<std::uint16_t>({.min = 0x600}),
          "EtherType of eCPRI"),
      key("malformed", &ParseStage::malformed, target(),
          "where packets go whose headers are cut or contradict each other"),
  });
  const auto match_stage = object<MatchStage>({
      required(key("fields", &MatchStage::fields, stage_match(), "what a packet must have")),
      key("then", &MatchStage::then, target(), "where packets go that have it"),
      key("otherwise", &MatchStage::otherwise, target(), "where the others go"),
  });
  const auto lookup = object<LookupStage>({
      lead(required(key("table", &LookupStage::table, reference(ReferenceKind::kTable),
                        "table of five-tuples"))),
      key("then", &LookupStage::then, target(), "where packets go that are in it, tagged"),
      key("otherwise", &LookupStage::otherwise, target(), "where the others go"),
  });
  const auto rewrite = object<RewriteStage>({
      key("set", &RewriteStage::set, field_values(), "fields and what they become"),
      key("decrement_ttl", &RewriteStage::decrement_ttl, boolean(),
          "of IPv4 and IPv6; a packet that has none left is dropped"),
  });
  const auto swap = object<SwapStage>({
      key("macs", &SwapStage::macs, boolean(), "source and destination MAC address"),
      key("ips", &SwapStage::ips, boolean(), "source and destination IP address"),
      key("ports", &SwapStage::ports, boolean(), "source and destination port of TCP and UDP"),
  });
  using By = CountStage::By;
  const auto count = object<CountStage>({
      key("by", &CountStage::by, choice<By>({{By::kAll, "all"}, {By::kProtocol, "protocol"}}),
          "one counter, or one a protocol"),
  });
  const auto sample = object<SampleStage>({
      key("every", &SampleStage::every, number<std::uint32_t>({.min = 1, .max = 1U << 30}),
          "one packet of so many"),
      lead(required(key("to", &SampleStage::to, target(kSinkOnly), "a pcap sink"))),
  });
  const auto mirror = object<MirrorStage>({
      lead(required(key("to", &MirrorStage::to, target(kSinkOnly), "sink of the copies"))),
  });
  const auto icmp_echo = object<IcmpEchoStage>({
      key("addresses", &IcmpEchoStage::addresses, list(ip_address(), 0, 64),
          "answer requests to these; an empty list: to any"),
      key("arp", &IcmpEchoStage::arp, boolean(), "answer ARP requests for these addresses too"),
      lead(required(key("to", &IcmpEchoStage::to, target(kSinkOnly), "sink of the answers"))),
  });
  const auto add = []<class P>(const TypeOf<P>& type, std::string_view description) {
    return alternative<Stage, P>(stage_kind(P{}), type, description);
  };
  return tagged<Stage>(
      "stage",
      {
          add(parse, "finds the headers; packets whose headers are malformed leave"),
          add(match_stage, "tells packets apart by header fields"),
          add(lookup, "looks the five-tuple up in a table"),
          add(rewrite, "writes header fields, and keeps checksums right"),
          add(swap, "swaps source and destination"),
          add(object<DropStage>({}), "drops every packet"),
          add(count, "counts packets and bytes"),
          add(sample, "copies a share of the packets to a capture"),
          add(mirror, "sends packets to another sink too"),
          add(icmp_echo, "answers pings"),
          add(load_balance_type(), "spreads flows over backends, by a hash"),
          add(police_type(), "keeps packets to a rate, by token buckets"),
          add(split_type(), "leads packets into branches, by the first rule that matches"),
          add(object<JoinStage>({}), "is where branches come back"),
          add(user_type(), "calls a function of your own"),
      },
      {
          if_set(key("name", &Stage::name, name(NameScope::kStages), "name in reports")),
          key("when", &Stage::when, stage_match(), "packets that do not match pass it by"),
      });
}

}  // namespace

TypeOf<std::vector<Stage>> stages_type() {
  return list(defined("stage", stage_type()), 0, 64);
}

}  // namespace ringside::pipeline
