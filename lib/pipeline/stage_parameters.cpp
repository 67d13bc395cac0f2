// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/stage_parameters.hpp"

#include <algorithm>
#include <cstddef>

#include "kernels/stages/icmp_echo.hpp"
#include "kernels/stages/load_balance.hpp"
#include "kernels/stages/match.hpp"
#include "kernels/stages/police.hpp"
#include "kernels/stages/rewrite.hpp"
#include "kernels/stages/swap.hpp"
#include "kernels/stages/table.hpp"
#include "lib/base/error.hpp"
#include "lib/pipeline/backend_table.hpp"
#include "lib/pipeline/flow_table.hpp"

namespace ringside::pipeline {

stages::FieldValue kernel_value(const FieldBits& bits) {
  stages::FieldValue value{0, low_bits(bits)};
  for (std::size_t i = 0; i < 8; ++i) value.high = value.high << 8 | bits[i];
  return value;
}

namespace {

stages::FieldValue kernel_address(const IpAddress& address) {
  FieldBits bits{};
  std::copy_n(address.bytes.begin(), address.v6 ? 16 : 4, bits.end() - (address.v6 ? 16 : 4));
  return kernel_value(bits);
}

stages::FiveTuple kernel_tuple(const TableEntry& tuple) {
  const stages::FieldValue source = kernel_address(tuple.src);
  const stages::FieldValue destination = kernel_address(tuple.dst);
  return {{source.high, source.low, destination.high, destination.low,
           stages::tuple_tail(tuple.src_port, tuple.dst_port, tuple.proto, tuple.src.v6 ? 6 : 4)}};
}

stages::HashOver hash_over(PoliceStage::Per per) {
  switch (per) {
    case PoliceStage::Per::kIpPair:
      return stages::HashOver::kIpPair;
    case PoliceStage::Per::kSourceIp:
      return stages::HashOver::kSourceIp;
    case PoliceStage::Per::kDestinationIp:
      return stages::HashOver::kDestinationIp;
    default:
      return stages::HashOver::kFiveTuple;
  }
}

}  // namespace

std::uint32_t ParameterBytes::add(const void* data, std::size_t size) {
  const std::size_t offset = words_.size() * sizeof(std::uint64_t);
  if (offset + size > UINT32_MAX) {
    throw usage_error(fmt::format("the tables of a pipeline take {} bytes", offset + size),
                      "together they can take up to 4 GiB");
  }
  words_.resize(words_.size() + (size + 7) / 8);
  if (size > 0) {  // of nothing there may be no address
    std::memcpy(reinterpret_cast<std::uint8_t*>(words_.data()) + offset, data, size);
  }
  return static_cast<std::uint32_t>(offset);
}

std::uint32_t add_match(ParameterBytes& bytes, const Match& match) {
  stages::Match head{};
  std::vector<stages::Condition> conditions;
  for (const ItemMatch& item : match.items) {
    std::uint16_t& items = item.inner ? head.inner : head.outer;
    items |= stages::item_bit(item.item);
    for (const FieldMatch& field : item.fields) {
      conditions.push_back({kernel_value(field.mask), kernel_value(field.first),
                            kernel_value(field.last), stages::place_of(field.field), item.inner});
    }
  }
  head.count = static_cast<std::uint32_t>(conditions.size());
  return bytes.add(head, offsetof(stages::Match, conditions), conditions);
}

std::uint32_t add_table(ParameterBytes& bytes, const Table& table) {
  const std::uint32_t head = add_table_head(bytes);
  fill_table(bytes, head, table);
  return head;
}

std::uint32_t add_table_head(ParameterBytes& bytes) {
  return bytes.add(stages::TableParameters{});
}

void fill_table(ParameterBytes& bytes, std::uint32_t at, const Table& table) {
  std::vector<stages::TableEntry> entries;
  entries.reserve(table.entries.size());
  for (const TableEntry& entry : table.entries) {
    entries.push_back({kernel_tuple(entry), entry.value});
  }
  const auto capacity = table.capacity.value_or(static_cast<std::uint32_t>(table.entries.size()));
  const FlowTable built(entries, std::max(capacity, 1U));
  stages::TableParameters head{.tags = 0, .entries = 0, .buckets = built.buckets()};
  head.tags = bytes.add(built.tags().data(), built.tags().size_bytes()) - at;
  head.entries = bytes.add(built.entries().data(), built.entries().size_bytes()) - at;
  std::memcpy(reinterpret_cast<std::uint8_t*>(bytes.words().data()) + at, &head, sizeof head);
}

void share_table(ParameterBytes& bytes, std::uint32_t at, std::uint32_t filled) {
  auto* const base = reinterpret_cast<std::uint8_t*>(bytes.words().data());
  stages::TableParameters head{};
  std::memcpy(&head, base + filled, sizeof head);
  head.tags += std::uint64_t{filled} - at;  // from this head on
  head.entries += std::uint64_t{filled} - at;
  std::memcpy(base + at, &head, sizeof head);
}

std::uint32_t add_rewrite(ParameterBytes& bytes, const RewriteStage& stage) {
  std::vector<stages::FieldChange> changes;
  for (const FieldValue& set : stage.set) {
    changes.push_back({kernel_value(set.value), stages::place_of(set.field)});
  }
  const stages::RewriteParameters head{
      static_cast<std::uint32_t>(changes.size()), stage.decrement_ttl, {}};
  return bytes.add(head, offsetof(stages::RewriteParameters, changes), changes);
}

std::uint32_t add_swap(ParameterBytes& bytes, const SwapStage& stage) {
  return bytes.add(stages::SwapParameters{stage.macs, stage.ips, stage.ports});
}

std::uint32_t add_icmp_echo(ParameterBytes& bytes, const IcmpEchoStage& stage) {
  std::vector<stages::FieldValue> addresses;
  for (const IpAddress& address : stage.addresses) addresses.push_back(kernel_address(address));
  const stages::IcmpEchoParameters head{
      stage.arp, static_cast<std::uint32_t>(addresses.size()), {}};
  return bytes.add(head, offsetof(stages::IcmpEchoParameters, addresses), addresses);
}

std::uint32_t add_load_balance(ParameterBytes& bytes, const LoadBalanceStage& stage,
                               const std::vector<std::uint16_t>& targets) {
  stages::LoadBalanceParameters head{};
  head.over = stage.hash;
  head.symmetric = stage.symmetric;
  std::ranges::copy(fill_buckets(stage.backends), head.of_bucket);
  std::vector<stages::Backend> backends;
  for (std::size_t i = 0; i < stage.backends.size(); ++i) {
    const LoadBalanceStage::Backend& one = stage.backends[i];
    stages::Backend backend{};
    backend.to = targets[i];
    if (one.mac) {
      backend.has_mac = true;
      for (const std::uint8_t byte : *one.mac) backend.mac.low = backend.mac.low << 8 | byte;
    }
    if (one.ip) {
      backend.ip = kernel_address(*one.ip);
      (one.ip->v6 ? backend.has_ipv6 : backend.has_ipv4) = true;
    }
    backends.push_back(backend);
  }
  return bytes.add(head, offsetof(stages::LoadBalanceParameters, backends), backends);
}

std::uint32_t add_police(ParameterBytes& bytes, const PoliceStage& stage, std::uint32_t buckets) {
  constexpr std::uint64_t kTicksPerSecond = 1'000'000'000ULL * stages::kPoliceTicksPerNs;
  constexpr std::uint64_t kBitsPerByte = 8;
  constexpr std::uint32_t kLeastFrame = 60;  // without FCS
  const auto quotient = [](std::uint64_t value, std::uint64_t by) { return (value + by - 1) / by; };
  stages::PoliceParameters head{};
  const std::uint64_t burst = stage.burst.value();
  if (stage.packet_rate) {
    head.ticks_per_packet = quotient(kTicksPerSecond, *stage.packet_rate);
    head.burst_ticks = burst * head.ticks_per_packet;
  } else {
    constexpr std::uint64_t kScale = std::uint64_t{1} << stages::kPoliceByteShift;
    head.ticks_per_byte = quotient(kTicksPerSecond * kBitsPerByte * kScale, *stage.bit_rate);
    // And what its packets are rounded up by.
    head.burst_ticks = burst * (head.ticks_per_byte / kScale) +
                       quotient(burst * (head.ticks_per_byte % kScale), kScale) +
                       burst / kLeastFrame;
  }
  head.buckets = buckets;
  using Per = PoliceStage::Per;
  head.per = stage.per == Per::kPipeline ? stages::PolicePer::kPipeline
             : stage.per == Per::kQueue  ? stages::PolicePer::kQueue
                                         : stages::PolicePer::kFlow;
  head.key.over = hash_over(stage.per);
  std::vector<stages::KeyField> fields;
  for (const FieldName& name : stage.fields) {
    fields.push_back({stages::place_of(name.field), name.inner});
  }
  head.key.count = static_cast<std::uint32_t>(fields.size());
  return bytes.add(
      head, offsetof(stages::PoliceParameters, key) + offsetof(stages::FlowKey, fields), fields);
}

std::uint32_t add_user(ParameterBytes& bytes, const UserStage& stage, std::uint64_t function) {
  return bytes.add(stages::UserParameters{function, {}},
                   offsetof(stages::UserParameters, parameters), stage.params);
}

}  // namespace ringside::pipeline
