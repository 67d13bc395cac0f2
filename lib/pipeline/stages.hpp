// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// The stages of a pipeline and their parameters, as a file gives them. Defaults and ranges are in
// schema_stages.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/pipeline/field.hpp"
#include "lib/pipeline/reference.hpp"

namespace ringside::pipeline {

struct IpAddress {
  bool v6 = false;
  std::array<std::uint8_t, 16> bytes{};  ///< network order; IPv4: the first four
};
using MacAddress = std::array<std::uint8_t, 6>;

/// An address and its network, as in 192.0.2.1/24.
struct Ipv4Prefix {
  std::array<std::uint8_t, 4> address{};
  std::uint8_t length = 0;
  bool operator==(const Ipv4Prefix&) const = default;
};

/// Finds the headers. Stages that need them do it by themselves; this one says which UDP ports are
/// tunnels, and what becomes of packets whose headers do not fit their length.
struct ParseStage {
  std::uint16_t vxlan_port = 4789;
  std::uint16_t gtpu_port = 2152;
  std::uint16_t ecpri_ethertype = 0xaefe;
  Target malformed{"drop", Target::Kind::kDrop, 0};
};

struct MatchStage {
  Match fields;
  Target then{"next", Target::Kind::kNext, 0};
  Target otherwise{"drop", Target::Kind::kDrop, 0};
};

/// Five-tuple lookup. A hit sets the packet's tag to the entry's value.
struct LookupStage {
  Reference table;
  Target then{"next", Target::Kind::kNext, 0};
  Target otherwise{"drop", Target::Kind::kDrop, 0};
};

/// Writes fields of packets that have them, and keeps their checksums right.
struct RewriteStage {
  std::vector<FieldValue> set;
  bool decrement_ttl = false;  ///< IPv4's ttl or IPv6's hop; a packet at 0 or 1 is dropped
};

struct SwapStage {
  bool macs = true;
  bool ips = false;
  bool ports = false;
};

struct DropStage {};

struct CountStage {
  enum class By : std::uint8_t { kAll, kProtocol };
  By by = By::kAll;
};

/// One packet of `every` is copied, the packet goes on.
struct SampleStage {
  std::uint32_t every = 1;
  Target to;  ///< a pcap sink
};

/// Every packet is sent to the sink too, and goes on.
struct MirrorStage {
  Target to;
};

/// Answers ICMP and ICMPv6 echo requests in place; all else goes on.
struct IcmpEchoStage {
  std::vector<IpAddress> addresses;  ///< requests to these; empty: to any
  bool arp = true;                   ///< ARP requests for `addresses` too
  Target to;                         ///< a sink, for the answers
};

/// Chooses a backend by a hash, weighted, and the same one for all packets of a flow.
struct LoadBalanceStage {
  struct Backend {
    std::optional<MacAddress> mac;  ///< written to eth.dst
    std::optional<IpAddress> ip;    ///< written to the destination address
    std::uint16_t weight = 1;
    Target to{"next", Target::Kind::kNext, 0};
  };
  stages::HashOver hash = stages::HashOver::kFiveTuple;
  bool symmetric = false;  ///< both directions of a flow to the same backend
  std::vector<Backend> backends;
};

/// A field as a stage names it.
struct FieldName {
  Field field{};
  bool inner = false;  ///< behind the tunnel header
  bool operator==(const FieldName&) const = default;
};

/// Token buckets. Exactly one of the rates is set.
struct PoliceStage {
  /// What has a rate of its own; kFiveTuple and what follows are kinds of flows.
  enum class Per : std::uint8_t {
    kPipeline,
    kQueue,
    kFiveTuple,
    kIpPair,
    kSourceIp,
    kDestinationIp,
    kFields,
  };
  Per per = Per::kPipeline;
  std::vector<FieldName> fields;             ///< of kFields
  std::optional<std::uint32_t> buckets;      ///< of flows; load() fills it in
  std::optional<std::uint64_t> bit_rate;     ///< bits a second, of frames without FCS
  std::optional<std::uint64_t> packet_rate;  ///< packets a second
  std::optional<std::uint64_t> burst;        ///< bytes or packets; load() fills it in
  Target exceed{"drop", Target::Kind::kDrop, 0};
};

/// The first rule that matches decides.
struct SplitStage {
  struct Rule {
    Match when;
    Target to;
  };
  std::vector<Rule> rules;
  Target otherwise{"next", Target::Kind::kNext, 0};
};

/// Where branches come back.
struct JoinStage {};

/// A function of the user's. Exactly one of the files is set.
struct UserStage {
  std::string object;  ///< shared object
  std::string source;  ///< compiled at start
  std::string function;
  std::vector<std::uint64_t> params;
};

/// Flows have buckets of their own, by a hash.
constexpr bool is_per_flow(PoliceStage::Per per) {
  return per >= PoliceStage::Per::kFiveTuple;
}

using StageParams = std::variant<ParseStage, MatchStage, LookupStage, RewriteStage, SwapStage,
                                 DropStage, CountStage, SampleStage, MirrorStage, IcmpEchoStage,
                                 LoadBalanceStage, PoliceStage, SplitStage, JoinStage, UserStage>;

/// As a file names them, in the order of StageParams.
inline constexpr std::array<std::string_view, std::variant_size_v<StageParams>> kStageKinds = {
    "parse",  "match",     "lookup",       "rewrite", "swap",  "drop", "count", "sample",
    "mirror", "icmp_echo", "load_balance", "police",  "split", "join", "user"};
constexpr std::string_view stage_kind(const StageParams& params) {
  return kStageKinds[params.index()];
}

struct Stage {
  std::string name;  ///< in reports; load() makes one of its kind where the file has none
  Match when;        ///< packets that do not match pass by the stage
  StageParams params;
};

}  // namespace ringside::pipeline
