// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/match_rules.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <span>

namespace ringside::pipeline {
namespace {

// Headers of which a packet has one at most in one place.
constexpr Item kNetwork[] = {Item::kArp, Item::kIpv4, Item::kIpv6};
constexpr Item kTransport[] = {Item::kArp, Item::kIcmp, Item::kIcmp6, Item::kTcp, Item::kUdp};
constexpr Item kTunnel[] = {Item::kVxlan, Item::kGtpu};
struct Conflict {
  Item item;
  std::span<const Item> others;
};
constexpr Item kNotWithIcmp[] = {Item::kIpv6};
constexpr Item kNotWithIcmp6[] = {Item::kIpv4};
constexpr Item kNotWithUdpTunnel[] = {Item::kTcp, Item::kIcmp, Item::kIcmp6, Item::kArp};
constexpr Conflict kConflicts[] = {
    {Item::kIcmp, kNotWithIcmp},
    {Item::kIcmp6, kNotWithIcmp6},
    {Item::kVxlan, kNotWithUdpTunnel},
    {Item::kGtpu, kNotWithUdpTunnel},
};

const ItemMatch* find_item(const Match& match, Item item, bool inner) {
  for (const ItemMatch& other : match.items) {
    if (other.item == item && other.inner == inner) return &other;
  }
  return nullptr;
}

void refuse_pair(Item a, Item b, bool inner, const std::string& path, Reading& reading) {
  const std::string place = inner ? path + ".inner" : path;
  reading.problems.error(place + "." + std::string(item_info(b).name),
                         fmt::format("no packet has {} and {} in one place, remove one of them",
                                     item_info(a).name, item_info(b).name));
}

/// eth.type lies behind the tags.
void refuse_tag_types(const Match& match, const std::string& path, Reading& reading) {
  for (const ItemMatch& item : match.items) {
    if (item.item != Item::kEth) continue;
    for (const FieldMatch& field : item.fields) {
      const std::uint64_t type = low_bits(field.first);
      if (field.field != Field::kEthType || field.first != field.last) continue;
      if (low_bits(field.mask) != 0xffff || (type != 0x8100 && type != 0x88a8)) continue;
      reading.problems.error(
          fmt::format("{}{}.eth.type", path, item.inner ? ".inner" : ""),
          fmt::format("{:#x} is the type of a VLAN tag, and eth.type lies behind those: match vlan",
                      type));
    }
  }
}

}  // namespace

void refuse_impossible(const Match& match, const std::string& path, Reading& reading) {
  for (const bool inner : {false, true}) {
    for (const std::span<const Item> group :
         {std::span<const Item>(kNetwork), std::span<const Item>(kTransport),
          std::span<const Item>(kTunnel)}) {
      const Item* first = nullptr;
      for (const Item& item : group) {
        if (find_item(match, item, inner) == nullptr) continue;
        if (first != nullptr) refuse_pair(*first, item, inner, path, reading);
        first = &item;
      }
    }
    for (const Conflict& conflict : kConflicts) {
      if (find_item(match, conflict.item, inner) == nullptr) continue;
      for (const Item other : conflict.others) {
        if (find_item(match, other, inner) != nullptr) {
          refuse_pair(other, conflict.item, inner, path, reading);
        }
      }
    }
  }
  refuse_tag_types(match, path, reading);
  const bool any_inner = std::ranges::any_of(match.items, &ItemMatch::inner);
  if (any_inner && find_item(match, Item::kVxlan, false) == nullptr &&
      find_item(match, Item::kGtpu, false) == nullptr) {
    reading.problems.error(path + ".inner", "headers inside of no tunnel: add vxlan or gtpu");
  }
}

}  // namespace ringside::pipeline
