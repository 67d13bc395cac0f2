// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/container_types.hpp"
#include "lib/pipeline/match_type.hpp"
#include "lib/pipeline/scalar_types.hpp"
#include "lib/pipeline/schema.hpp"
#include "lib/runtime/config_check.hpp"

namespace ringside::pipeline {
namespace {

/// What mlx5 takes: a stride a descriptor, rings of up to 2^15.
constexpr NumberRange kDescriptors{.min = 64, .max = 32768, .power_of_two = true};
/// Queue ids above RTE_PMD_MLX5_EXTERNAL_RX_QUEUE_ID_MIN, see ExternalQueue.
constexpr std::size_t kMaxQueues = 1000;

TypeOf<FlowAction> action_type() {
  using Type = FlowRss::Type;
  const auto queue = object<FlowQueue>({
      lead(required(key("name", &FlowQueue::queue, reference(ReferenceKind::kOwnRxQueue),
                        "receive queue of this interface"))),
  });
  const auto rss = object<FlowRss>({
      lead(required(key("queues", &FlowRss::queues,
                        list(reference(ReferenceKind::kOwnRxQueue), 1, kMaxQueues),
                        "receive queues of this interface"))),
      key("types", &FlowRss::types,
          list(choice<Type>({{Type::kIp, "ip"}, {Type::kTcp, "tcp"}, {Type::kUdp, "udp"}}), 1, 3),
          "what the hash is over: addresses, and ports of TCP and UDP"),
  });
  const auto mark = object<FlowMark>({
      lead(required(key("id", &FlowMark::id, number<std::uint32_t>({.max = 0xffffef}),
                        "meta.mark of the packets"))),
  });
  return tagged<FlowAction>(
      "action", {
                    alternative<FlowAction>("queue", queue, "to one queue"),
                    alternative<FlowAction>("rss", rss, "spread over queues by a hash"),
                    alternative<FlowAction>("mark", mark, "marks packets"),
                    alternative<FlowAction>("count", object<FlowCount>({}), "counts packets"),
                    alternative<FlowAction>("drop", object<FlowDrop>({}), "dropped by the NIC"),
                });
}

TypeOf<RxSide> rx_type() {
  const auto queue = object<RxQueue>({
      required(key("name", &RxQueue::name, name(), "name of the queue")),
      key("num_desc", &RxQueue::num_desc, number<std::uint32_t>(kDescriptors),
          "packets that the ring holds"),
      key("batch_size", &RxQueue::batch_size, number<std::uint32_t>({.min = 1, .max = kMaxBurst}),
          "packets that a block takes at once, at most"),
      key("timeout_us", &RxQueue::timeout_us,
          number<std::uint32_t>({.max = 1'000'000, .unit = Unit::kMicroseconds}),
          "how long packets wait, at most, for batch_size of them to be there; 0: a block takes "
          "what is there"),
      required(key("memory_regions", &RxQueue::memory_regions,
                   list(reference(ReferenceKind::kMemoryRegion), 1, 2),
                   "where packets go; two: headers to the first, data to the second")),
  });
  const auto flow = object<Flow>({
      required(key("name", &Flow::name, name(), "name in reports")),
      required(key("match", &Flow::match, defined("nic_match", match(Matcher::kNic)),
                   "which packets; {} is all")),
      required(key("actions", &Flow::actions, list(action_type(), 1, 8),
                   "what becomes of them; the first flow that matches has the packet")),
  });
  const auto striding = object<Striding>({
      key("stride_size", &Striding::stride_size,
          number<std::uint32_t>({.min = 64, .max = 8192, .power_of_two = true}),
          "bytes of a stride; a packet takes as many as it needs"),
      key("strides", &Striding::strides,
          number<std::uint32_t>({.min = 8, .max = 8192, .power_of_two = true}),
          "strides of a buffer, of 32 KiB at most in all"),
  });
  using Unmatched = RxSide::Unmatched;
  return object<RxSide>({
      key("queues", &RxSide::queues, list(queue, 0, kMaxQueues), "receive queues"),
      key("striding", &RxSide::striding, optional("none", striding),
          "packets share buffers; num_desc counts strides then"),
      key("flows", &RxSide::flows, list(flow, 0, 1024), "steering by the NIC, in order"),
      key("unmatched", &RxSide::unmatched,
          choice<Unmatched>({{Unmatched::kRss, "rss"}, {Unmatched::kDrop, "drop"}}),
          "packets that no flow matches: over all queues, or dropped by the NIC"),
  });
}

TypeOf<TxSide> tx_type() {
  using Offload = TxQueue::Offload;
  const auto queue = object<TxQueue>({
      required(key("name", &TxQueue::name, name(), "name of the queue")),
      key("num_desc", &TxQueue::num_desc, number<std::uint32_t>(kDescriptors),
          "packets that the ring holds"),
      key("offloads", &TxQueue::offloads,
          list(choice<Offload>({{Offload::kIpv4Checksum, "ipv4_checksum"},
                                {Offload::kL4Checksum, "l4_checksum"}}),
               0, 2),
          "checksums that the NIC writes into every packet that this queue sends, whatever stages "
          "left there; stages keep those right that came right, with and without it"),
      key("vlan", &TxQueue::vlan, optional("none", number<std::uint16_t>({.min = 1, .max = 4094})),
          "id of an 802.1Q tag that the NIC puts into every packet that this queue sends, outside "
          "of those that it has; stages, captures and byte counts are without it"),
      key("vlan_priority", &TxQueue::vlan_priority, number<std::uint8_t>({.max = 7}),
          "priority in that tag"),
      key("pacing", &TxQueue::pacing,
          optional("none", number<std::uint64_t>(
                               {.min = 1'000'000, .max = 800'000'000'000, .unit = Unit::kBitRate})),
          "rate of its frames with FCS; what does not fit waits in the receive queue"),
  });
  return object<TxSide>({
      key("queues", &TxSide::queues, list(queue, 0, kMaxQueues), "send queues"),
  });
}

}  // namespace

TypeOf<std::vector<Interface>> interfaces_type() {
  const auto interface = object<Interface>({
      required(key("name", &Interface::name, name(), "name of the interface")),
      required(key("address", &Interface::address,
                   text("^[0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[01][0-9a-fA-F]\\.[0-7]$",
                        "a PCI address such as 0000:ca:00.0"),
                   "PCI address")),
      key("mtu", &Interface::mtu, number<std::uint16_t>({.min = 68, .max = 9978}),
          "bytes of the largest packet without its Ethernet header"),
      key("promiscuous", &Interface::promiscuous, boolean(), "receive what is for others too"),
      key("rx", &Interface::rx, rx_type(), "receive side"),
      key("tx", &Interface::tx, tx_type(), "send side"),
  });
  return list(interface, 1, 32);
}

}  // namespace ringside::pipeline
