// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/flow_patterns.hpp"

#include <rte_ethdev.h>
#include <rte_flow.h>

#include <algorithm>
#include <cstddef>

#include "lib/base/error.hpp"

namespace ringside::pipeline {
namespace {

/// Where a field lies in its item's struct. `shift`: of its lowest bit, in a big-endian number of
/// `bytes`.
struct ItemField {
  std::size_t offset;
  std::size_t bytes;
  unsigned shift = 0;
};

struct ItemShape {
  rte_flow_item_type type;
  std::size_t size;
};

ItemShape shape_of(Item item) {
  switch (item) {
    case Item::kEth:
      return {RTE_FLOW_ITEM_TYPE_ETH, sizeof(rte_flow_item_eth)};
    case Item::kVlan:
      return {RTE_FLOW_ITEM_TYPE_VLAN, sizeof(rte_flow_item_vlan)};
    case Item::kIpv4:
      return {RTE_FLOW_ITEM_TYPE_IPV4, sizeof(rte_flow_item_ipv4)};
    case Item::kIpv6:
      return {RTE_FLOW_ITEM_TYPE_IPV6, sizeof(rte_flow_item_ipv6)};
    case Item::kIcmp:
      return {RTE_FLOW_ITEM_TYPE_ICMP, sizeof(rte_flow_item_icmp)};
    case Item::kIcmp6:
      return {RTE_FLOW_ITEM_TYPE_ICMP6, sizeof(rte_flow_item_icmp6)};
    case Item::kTcp:
      return {RTE_FLOW_ITEM_TYPE_TCP, sizeof(rte_flow_item_tcp)};
    case Item::kUdp:
      return {RTE_FLOW_ITEM_TYPE_UDP, sizeof(rte_flow_item_udp)};
    case Item::kVxlan:
      return {RTE_FLOW_ITEM_TYPE_VXLAN, sizeof(rte_flow_item_vxlan)};
    case Item::kGtpu:
      return {RTE_FLOW_ITEM_TYPE_GTPU, sizeof(rte_flow_item_gtp)};
    case Item::kEcpri:
      return {RTE_FLOW_ITEM_TYPE_ECPRI, sizeof(rte_flow_item_ecpri)};
    case Item::kArp:
    case Item::kMeta:
      break;
  }
  throw usage_error(fmt::format("a flow that matches {}", item_info(item).name),
                    "match it in a stage");
}

ItemField place_of(Field field) {
  switch (field) {
    case Field::kEthDst:
      return {offsetof(rte_flow_item_eth, hdr.dst_addr), 6};
    case Field::kEthSrc:
      return {offsetof(rte_flow_item_eth, hdr.src_addr), 6};
    case Field::kEthType:
      return {offsetof(rte_flow_item_eth, hdr.ether_type), 2};
    case Field::kVlanVid:
      return {offsetof(rte_flow_item_vlan, hdr.vlan_tci), 2};
    case Field::kVlanPcp:
      return {offsetof(rte_flow_item_vlan, hdr.vlan_tci), 2, 13};
    case Field::kIpv4Src:
      return {offsetof(rte_flow_item_ipv4, hdr.src_addr), 4};
    case Field::kIpv4Dst:
      return {offsetof(rte_flow_item_ipv4, hdr.dst_addr), 4};
    case Field::kIpv4Proto:
      return {offsetof(rte_flow_item_ipv4, hdr.next_proto_id), 1};
    case Field::kIpv4Tos:
      return {offsetof(rte_flow_item_ipv4, hdr.type_of_service), 1};
    case Field::kIpv4Ttl:
      return {offsetof(rte_flow_item_ipv4, hdr.time_to_live), 1};
    case Field::kIpv6Src:
      return {offsetof(rte_flow_item_ipv6, hdr.src_addr), 16};
    case Field::kIpv6Dst:
      return {offsetof(rte_flow_item_ipv6, hdr.dst_addr), 16};
    case Field::kIpv6Proto:
      return {offsetof(rte_flow_item_ipv6, hdr.proto), 1};
    case Field::kIpv6Tc:
      return {offsetof(rte_flow_item_ipv6, hdr.vtc_flow), 4, 20};
    case Field::kIpv6Hop:
      return {offsetof(rte_flow_item_ipv6, hdr.hop_limits), 1};
    case Field::kIcmpType:
      return {offsetof(rte_flow_item_icmp, hdr.icmp_type), 1};
    case Field::kIcmpCode:
      return {offsetof(rte_flow_item_icmp, hdr.icmp_code), 1};
    case Field::kIcmp6Type:
      return {offsetof(rte_flow_item_icmp6, type), 1};
    case Field::kIcmp6Code:
      return {offsetof(rte_flow_item_icmp6, code), 1};
    case Field::kTcpSrc:
      return {offsetof(rte_flow_item_tcp, hdr.src_port), 2};
    case Field::kTcpDst:
      return {offsetof(rte_flow_item_tcp, hdr.dst_port), 2};
    case Field::kTcpFlags:
      return {offsetof(rte_flow_item_tcp, hdr.tcp_flags), 1};
    case Field::kUdpSrc:
      return {offsetof(rte_flow_item_udp, hdr.src_port), 2};
    case Field::kUdpDst:
      return {offsetof(rte_flow_item_udp, hdr.dst_port), 2};
    case Field::kVxlanVni:
      return {offsetof(rte_flow_item_vxlan, vni), 3};
    case Field::kGtpuTeid:
      return {offsetof(rte_flow_item_gtp, teid), 4};
    case Field::kEcpriType:
      return {1, 1};  // of the common header
    case Field::kEcpriPcId:
      return {4, 2};
    default:
      break;
  }
  throw usage_error(fmt::format("a flow that matches {}.{}", item_info(field_info(field).item).name,
                                field_info(field).name),
                    "match it in a stage");
}

/// Big-endian, the low `place.bytes` of the field shifted to where it lies.
void put(std::vector<std::uint8_t>& to, const ItemField& place, const FieldBits& bits) {
  if (place.shift == 0) {
    for (std::size_t i = 0; i < place.bytes; ++i) {
      to[place.offset + i] |= bits[bits.size() - place.bytes + i];
    }
    return;
  }
  const std::uint64_t value = low_bits(bits) << place.shift;
  for (std::size_t i = 0; i < place.bytes; ++i) {
    to[place.offset + i] |= static_cast<std::uint8_t>(value >> (8 * (place.bytes - 1 - i)));
  }
}

/// In a VLAN tag, the EtherType is that of what follows it.
ItemField place_in(Item item, Field field) {
  if (item == Item::kVlan && field == Field::kEthType) {
    return {offsetof(rte_flow_item_vlan, hdr.eth_proto), 2};
  }
  return place_of(field);
}

FlowHeader header_of(const ItemMatch& match) {
  const ItemShape shape = shape_of(match.item);
  FlowHeader header{shape.type, {}, {}};
  for (const FieldMatch& field : match.fields) {
    header.spec.resize(shape.size);
    header.mask.resize(shape.size);
    const ItemField place = place_in(match.item, field.field);
    FieldBits mask = field.mask;
    const unsigned bits = field_info(field.field).bits;
    for (unsigned bit = bits; bit < 8 * mask.size(); ++bit) {
      mask[mask.size() - 1 - bit / 8] &= static_cast<std::uint8_t>(~(1U << bit % 8));
    }
    put(header.spec, place, field.first);
    put(header.mask, place, mask);
  }
  return header;
}

bool is_l3(Item item) {
  return item == Item::kIpv4 || item == Item::kIpv6;
}
bool over_l3(Item item) {
  return item == Item::kTcp || item == Item::kUdp;
}
bool is_icmp(Item item) {
  return item == Item::kIcmp || item == Item::kIcmp6;
}
bool over_udp(Item item) {
  return item == Item::kVxlan || item == Item::kGtpu;
}

/// What carries `item` where no header of IP is named; `l3`, where either could.
Item carrier_of(Item item, Item l3) {
  if (item == Item::kIcmp) return Item::kIpv4;
  return item == Item::kIcmp6 ? Item::kIpv6 : l3;
}

/// Adds the headers that must carry those that are named, `l3` where none is.
std::vector<ItemMatch> completed(const Match& match, Item l3) {
  std::vector<ItemMatch> items;
  bool inner = false;
  const auto has = [&](auto is) {
    return std::ranges::any_of(
        items, [&](const ItemMatch& item) { return item.inner == inner && is(item.item); });
  };
  for (const ItemMatch& item : match.items) {
    inner = item.inner;
    if (!has([](Item one) { return one == Item::kEth; }) && item.item != Item::kEth) {
      items.push_back({Item::kEth, inner, {}});
    }
    const bool needs_l3 = over_l3(item.item) || over_udp(item.item) || is_icmp(item.item);
    if (needs_l3 && !has(is_l3)) items.push_back({carrier_of(item.item, l3), inner, {}});
    if (over_udp(item.item) && !has(over_l3)) items.push_back({Item::kUdp, inner, {}});
    items.push_back(item);
  }
  return items;
}

/// The EtherType that the outer headers are to have.
const FieldMatch* ethertype_in(const Match& match) {
  for (const ItemMatch& item : match.items) {
    if (item.item != Item::kEth || item.inner) continue;
    const auto found = std::ranges::find(item.fields, Field::kEthType, &FieldMatch::field);
    if (found != item.fields.end()) return &*found;
  }
  return nullptr;
}

bool names_vlan(const Match& match) {
  return std::ranges::any_of(
      match.items, [](const ItemMatch& item) { return item.item == Item::kVlan && !item.inner; });
}

/// The EtherType behind a VLAN tag, as stages see it; rte_flow's is that of the tag.
Match behind_tag(const Match& match) {
  const FieldMatch ethertype = *ethertype_in(match);
  Match tagged = match;
  auto item = std::ranges::find(tagged.items, Item::kEth, &ItemMatch::item);
  std::erase_if(item->fields,
                [](const FieldMatch& field) { return field.field == Field::kEthType; });
  ++item;
  if (!names_vlan(match)) item = tagged.items.insert(item, {Item::kVlan, false, {}});
  item->fields.push_back(ethertype);
  return tagged;
}

/// As rte_flow patterns that differ in the tag.
std::vector<Match> by_tag(const Match& match) {
  if (ethertype_in(match) == nullptr) return {match};
  if (names_vlan(match)) return {behind_tag(match)};
  return {match, behind_tag(match)};
}

bool names_l3(const Match& match) {
  return std::ranges::any_of(match.items,
                             [](const ItemMatch& item) { return is_l3(item.item) && !item.inner; });
}
bool names_over_l3(const Match& match) {
  return std::ranges::any_of(match.items, [](const ItemMatch& item) {
    return (over_l3(item.item) || over_udp(item.item)) && !item.inner;
  });
}

std::uint64_t rss_types(const std::vector<FlowRss::Type>& types) {
  std::uint64_t bits = 0;
  for (const FlowRss::Type type : types) {
    switch (type) {
      case FlowRss::Type::kIp:
        bits |= RTE_ETH_RSS_IP;
        break;
      case FlowRss::Type::kTcp:
        bits |= RTE_ETH_RSS_TCP;
        break;
      case FlowRss::Type::kUdp:
        bits |= RTE_ETH_RSS_UDP;
        break;
    }
  }
  return bits;
}

void set_actions(FlowSpec& spec, const std::vector<FlowAction>& actions) {
  for (const FlowAction& action : actions) {
    if (const auto* const queue = std::get_if<FlowQueue>(&action)) {
      spec.queues = {queue->queue.index};
    } else if (const auto* const rss = std::get_if<FlowRss>(&action)) {
      for (const Reference& one : rss->queues) spec.queues.push_back(one.index);
      spec.rss_types = rss_types(rss->types);
    } else if (const auto* const mark = std::get_if<FlowMark>(&action)) {
      spec.mark = mark->id;
    } else if (std::holds_alternative<FlowCount>(action)) {
      spec.counted = true;
    }
  }
}

}  // namespace

PortFlows port_flows(const Interface& interface) {
  PortFlows flows;
  for (const Flow& flow : interface.rx.flows) {
    std::vector<Item> carriers = {Item::kIpv4};
    if (names_over_l3(flow.match) && !names_l3(flow.match)) carriers.push_back(Item::kIpv6);
    for (const Match& match : by_tag(flow.match)) {
      for (const Item carrier : carriers) {
        FlowSpec spec{.name = flow.name, .pattern = {}, .queues = {}};
        for (const ItemMatch& item : completed(match, carrier)) {
          spec.pattern.push_back(header_of(item));
        }
        set_actions(spec, flow.actions);
        flows.flows.push_back(std::move(spec));
      }
    }
  }
  if (interface.rx.unmatched == RxSide::Unmatched::kRss) {
    for (std::size_t i = 0; i < interface.rx.queues.size(); ++i) {
      flows.unmatched.push_back(static_cast<std::uint16_t>(i));
    }
  }
  return flows;
}

}  // namespace ringside::pipeline
