// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What a pipeline file says, schema version 1. load() (load.hpp) makes it: checked, with every
// default filled in and every reference resolved. Keys, ranges and units are in schema*.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lib/pipeline/field.hpp"
#include "lib/pipeline/reference.hpp"
#include "lib/pipeline/stages.hpp"

namespace ringside::pipeline {

struct Eal {
  std::vector<std::uint16_t> cores;  ///< the first one is EAL's main lcore; empty: EAL chooses
  bool hugepages = true;
  bool in_memory = false;
  std::vector<std::string> extra_args;
};

struct Gpu {
  std::uint16_t id = 0;
};

/// Bytes before a packet, or a part of one, in its buffer: RTE_PKTMBUF_HEADROOM.
inline constexpr std::uint32_t kHeadroom = 128;

struct MemoryRegion {
  enum class Kind : std::uint8_t {
    kDevice,      ///< memory of the GPU
    kHostPinned,  ///< of the host, mapped by the GPU
    kHuge,        ///< of the CPU alone, hugepages
  };
  std::string name;
  Kind kind = Kind::kDevice;
  std::optional<std::uint16_t> affinity;  ///< GPU id for kDevice, else NUMA node; see fill_in()
  std::optional<std::uint32_t> num_bufs;  ///< load() fills both in
  std::optional<std::uint32_t> buf_size;  ///< bytes, kHeadroom included
};

struct RxQueue {
  std::string name;
  std::uint32_t num_desc = 1024;
  std::uint32_t batch_size = 256;  ///< packets at most that a block takes at once
  std::uint32_t timeout_us = 0;    ///< that a packet waits for a full batch, at most
  /// One region, or two: headers and data.
  std::vector<Reference> memory_regions;
};

struct FlowQueue {
  Reference queue;
};
struct FlowRss {
  enum class Type : std::uint8_t { kIp, kTcp, kUdp };
  std::vector<Reference> queues;
  std::vector<Type> types = {Type::kIp, Type::kTcp, Type::kUdp};
};
struct FlowMark {
  std::uint32_t id = 0;
};
struct FlowCount {};
struct FlowDrop {};
using FlowAction = std::variant<FlowQueue, FlowRss, FlowMark, FlowCount, FlowDrop>;

/// The first flow in the file that matches a packet has it.
struct Flow {
  std::string name;
  Match match;
  std::vector<FlowAction> actions;  ///< exactly one of queue, rss and drop among them
};

/// Packets share buffers, each in as many strides as it needs. Numbers are powers of two.
struct Striding {
  std::uint32_t stride_size = 256;  ///< bytes
  std::uint32_t strides = 64;       ///< of a buffer

  std::uint32_t buffer_bytes() const { return stride_size * strides; }
};

struct RxSide {
  enum class Unmatched : std::uint8_t {
    kRss,   ///< over all queues of the interface
    kDrop,  ///< by the NIC
  };
  std::vector<RxQueue> queues;
  std::optional<Striding> striding;  ///< of all of them; num_desc counts strides then
  std::vector<Flow> flows;
  Unmatched unmatched = Unmatched::kRss;  ///< packets that no flow matches
};

struct TxQueue {
  enum class Offload : std::uint8_t { kIpv4Checksum, kL4Checksum };
  std::string name;
  std::uint32_t num_desc = 1024;
  std::vector<Offload> offloads;
  std::optional<std::uint16_t> vlan;    ///< id of a tag that the NIC puts into every packet
  std::uint8_t vlan_priority = 0;       ///< of that tag
  std::optional<std::uint64_t> pacing;  ///< bits a second
};

struct TxSide {
  std::vector<TxQueue> queues;
};

struct Interface {
  std::string name;
  std::string address;  ///< PCI
  std::uint16_t mtu = 1500;
  bool promiscuous = true;
  RxSide rx;
  TxSide tx;
};

/// Packets of the pipeline's source i leave by queue i.
struct TxSink {
  std::vector<QueueReference> queues;
  bool operator==(const TxSink&) const = default;
};
struct DropSink {
  bool operator==(const DropSink&) const = default;
};
struct PcapSink {
  std::string file;
  std::uint32_t snaplen = 65535;  ///< bytes of a packet that are kept
  bool operator==(const PcapSink&) const = default;
};
/// A thread of the CPU that hands packets to a TAP device of this name.
struct CpuSink {
  std::string tap;
  std::optional<std::uint16_t> core;
  std::optional<Ipv4Prefix> address;  ///< of the device
  Reference interface;  ///< what programs send by the device leaves by it; no name: is lost
  bool operator==(const CpuSink&) const = default;
};
using SinkParams = std::variant<TxSink, DropSink, PcapSink, CpuSink>;

struct Sink {
  std::string name;
  SinkParams params;
  bool operator==(const Sink&) const = default;
};

struct Kernel {
  std::string name;
  std::optional<std::uint32_t> threads_per_block;  ///< empty: what suits the GPU
  std::uint32_t depth = 1024;  ///< packets between it and the kernel before it; a power of two
  std::vector<Stage> stages;
};

/// A chain that stages lead to. It runs in the kernel that leads to it.
struct Branch {
  std::string name;
  std::vector<Stage> stages;
  Target then{"join", Target::Kind::kJoin, 0};
};

struct Pipeline {
  std::string name;
  std::vector<QueueReference> sources;  ///< receive queues, a block each
  /// Shorthand for a single kernel named after the pipeline: load() moves both there.
  std::vector<Stage> stages;
  std::optional<std::uint32_t> threads_per_block;
  std::vector<Kernel> kernels;  ///< one after the other; never empty after load()
  std::vector<Branch> branches;
  std::vector<Sink> sinks;  ///< the first one has the packets at the end of the last kernel
};

/// A five-tuple, and what the packet's tag becomes when it has it.
struct TableEntry {
  IpAddress src, dst;  ///< of one family
  std::uint8_t proto = 0;
  std::uint16_t src_port = 0, dst_port = 0;
  std::uint32_t value = 0;
};
struct Table {
  std::string name;
  std::string file;                       ///< CSV; empty: `entries` were in the file itself
  std::vector<TableEntry> entries;        ///< load() reads `file` into them
  std::optional<std::uint32_t> capacity;  ///< entries at most; load() fills it in
};

struct Generator {
  enum class Order : std::uint8_t { kSequential, kRandom };
  std::string name;
  std::vector<QueueReference> queues;        ///< send queues, a block each
  std::optional<std::uint64_t> bit_rate;     ///< of all queues together; neither: full speed
  std::optional<std::uint64_t> packet_rate;  ///< packets a second, of all queues together
  std::vector<std::uint16_t> sizes = {64};   ///< bytes with FCS, in turn
  std::uint32_t flows = 1;                   ///< destination addresses, counted up from ipv4.dst
  std::vector<FieldValue> set;               ///< over a UDP datagram 198.18.0.1:9 -> 198.18.0.2:9
  std::vector<FieldRange> vary;              ///< what differs from frame to frame
  Order order = Order::kSequential;          ///< of values in `flows` and `vary`
  std::uint64_t seed = 0;                    ///< of a random order
  std::uint64_t count = 0;                   ///< packets; 0: until stopped
};

struct Telemetry {
  std::uint32_t stats_period_ms = 1000;
  std::string json;  ///< file of the final report; empty: none
};

struct Config {
  std::uint32_t version = 1;
  Eal eal;
  Gpu gpu;
  std::vector<MemoryRegion> memory_regions;
  std::vector<Interface> interfaces;
  std::vector<Table> tables;
  std::vector<Pipeline> pipelines;
  std::vector<Generator> generator;
  Telemetry telemetry;
};

}  // namespace ringside::pipeline
