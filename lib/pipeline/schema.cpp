// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/schema.hpp"

#include "lib/pipeline/container_types.hpp"
#include "lib/pipeline/field_range_type.hpp"
#include "lib/pipeline/match_type.hpp"
#include "lib/pipeline/scalar_types.hpp"

namespace ringside::pipeline {
namespace {

constexpr std::uint64_t kMaxCore = 1023;

TypeOf<Eal> eal_type() {
  return object<Eal>({
      key("cores", &Eal::cores, list(number<std::uint16_t>({.max = kMaxCore})),
          "CPU cores of EAL, the first one is the main lcore; an empty list: EAL chooses"),
      key("hugepages", &Eal::hugepages, boolean(), "false: EAL uses ordinary memory"),
      key("in_memory", &Eal::in_memory, boolean(), "leave no files in hugetlbfs and /var/run"),
      key("extra_args", &Eal::extra_args, list(free_text()),
          "more EAL options, one word an entry, for what the file has no key for"),
  });
}

TypeOf<Gpu> gpu_type() {
  return object<Gpu>({
      key("id", &Gpu::id, number<std::uint16_t>({.max = 31}), "gpudev id of the GPU"),
  });
}

TypeOf<MemoryRegion> memory_region_type() {
  using Kind = MemoryRegion::Kind;
  return object<MemoryRegion>({
      required(key("name", &MemoryRegion::name, name(), "name of the region")),
      key("kind", &MemoryRegion::kind,
          choice<Kind>({{Kind::kDevice, "device"},
                        {Kind::kHostPinned, "host_pinned"},
                        {Kind::kHuge, "huge"}}),
          "device: GPU memory; host_pinned: host memory that the GPU maps; huge: EAL's hugepages, "
          "for queues of the CPU, which kernels cannot read"),
      key("affinity", &MemoryRegion::affinity, optional("auto", number<std::uint16_t>({.max = 63})),
          "GPU id for kind device, NUMA node for the others; auto: gpu.id, or node 0. An interface "
          "has the GPU of its queues' regions, and its packets are processed there"),
      key("num_bufs", &MemoryRegion::num_bufs,
          optional("auto", number<std::uint32_t>({.min = 64, .max = 1U << 24})),
          "buffers; auto: what the queues need"),
      key("buf_size", &MemoryRegion::buf_size,
          optional("auto", number<std::uint32_t>({.min = 64, .max = 65408, .unit = Unit::kBytes})),
          "bytes of a buffer, headroom included; auto: what the MTU needs"),
  });
}

TypeOf<Table> table_type() {
  const auto entry = object<TableEntry>({
      required(key("src", &TableEntry::src, ip_address(), "source address")),
      required(key("dst", &TableEntry::dst, ip_address(), "destination address")),
      required(key("proto", &TableEntry::proto, number<std::uint8_t>({}), "6: TCP, 17: UDP")),
      key("src_port", &TableEntry::src_port, number<std::uint16_t>({}), "source port"),
      key("dst_port", &TableEntry::dst_port, number<std::uint16_t>({}), "destination port"),
      key("value", &TableEntry::value, number<std::uint32_t>({}), "the packet's tag on a hit"),
  });
  return object<Table>({
      required(key("name", &Table::name, name(), "name of the table")),
      if_set(key("file", &Table::file, free_text(),
                 "CSV file of entries, its first line names the columns, as the keys of entries")),
      if_set(key("entries", &Table::entries, list(entry), "five-tuples")),
      key("capacity", &Table::capacity,
          optional("auto", number<std::uint32_t>({.min = 1, .max = 1U << 26})),
          "entries at most; auto: those that there are"),
  });
}

TypeOf<Generator> generator_type() {
  using Order = Generator::Order;
  return object<Generator>({
      required(key("name", &Generator::name, name(), "name in reports")),
      required(key("queues", &Generator::queues, list(queue_reference(ReferenceKind::kTxQueue), 1),
                   "send queues, INTERFACE.QUEUE")),
      key("bit_rate", &Generator::bit_rate,
          optional("none", number<std::uint64_t>({.min = 1, .unit = Unit::kBitRate})),
          "bits a second of all queues together, frames with FCS"),
      key("packet_rate", &Generator::packet_rate,
          optional("none", number<std::uint64_t>({.min = 1, .unit = Unit::kPacketRate})),
          "packets a second of all queues together; without any rate: as fast as possible"),
      key("sizes", &Generator::sizes,
          list(number<std::uint16_t>({.min = 64, .max = 9996, .unit = Unit::kBytes}), 1, 64),
          "sizes of the frames with FCS, in turn; their number lies behind the UDP header, 8 "
          "bytes"),
      key("flows", &Generator::flows, number<std::uint32_t>({.min = 1, .max = 1U << 24}),
          "destination addresses, counted up from ipv4.dst"),
      key("set", &Generator::set, field_values(),
          "fields of the frame, a UDP datagram from 198.18.0.1:9 to 198.18.0.2:9"),
      if_set(key("vary", &Generator::vary, field_ranges(),
                 "fields that differ from frame to frame, each FIRST-LAST: ipv4.src, ipv4.dst, "
                 "udp.src, udp.dst")),
      key("order", &Generator::order,
          choice<Order>({{Order::kSequential, "sequential"}, {Order::kRandom, "random"}}),
          "of their values: sequential: each field counts up with the frames' numbers; random: "
          "drawn by the number and the seed"),
      key("seed", &Generator::seed, number<std::uint64_t>({}),
          "frames with the same seed are the same"),
      key("count", &Generator::count, number<std::uint64_t>({}), "frames; 0: until stopped"),
  });
}

TypeOf<Telemetry> telemetry_type() {
  return object<Telemetry>({
      key("stats_period", &Telemetry::stats_period_ms,
          number<std::uint32_t>({.min = 100, .max = 3'600'000, .unit = Unit::kMilliseconds}),
          "time between two reports"),
      if_set(key("json", &Telemetry::json, free_text(), "file of the final report")),
  });
}

}  // namespace

const TypeOf<Config>& config_type() {
  static const TypeOf<Config> kType = object<Config>({
      required(key("version", &Config::version, number<std::uint32_t>({.min = 1, .max = 1}),
                   "version of the format, 1")),
      key("eal", &Config::eal, eal_type(), "DPDK's environment"),
      key("gpu", &Config::gpu, gpu_type(), "where the kernels run"),
      required(key("memory_regions", &Config::memory_regions, list(memory_region_type(), 1, 64),
                   "pools of packet buffers")),
      required(key("interfaces", &Config::interfaces, interfaces_type(), "ports of the NIC")),
      key("tables", &Config::tables, list(table_type(), 0, 64), "five-tuple tables"),
      key("pipelines", &Config::pipelines, pipelines_type(), "what becomes of received packets"),
      key("generator", &Config::generator, list(generator_type(), 0, 64), "frames of our own"),
      key("telemetry", &Config::telemetry, telemetry_type(), "reports"),
  });
  return kType;
}

}  // namespace ringside::pipeline
