// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Looks a packet's five-tuple up in a table that the host has built (lib/pipeline/flow_table.hpp):
// cuckoo hashing in buckets of four, so a lookup reads at most two buckets' tags and, but for one
// in some 10,000, no entry in vain.
#pragma once

#include <cstdint>

#include "kernels/stages/five_tuple.hpp"

namespace ringside::stages {

inline constexpr std::uint32_t kBucketEntries = 4;

struct TableEntry {
  FiveTuple key;
  std::uint64_t value;
};

/// 0: no entry. One per entry, so that one load tells which of a bucket's may be it.
struct alignas(8) BucketTags {
  std::uint16_t tags[kBucketEntries];
};

RS_DEVICE std::uint16_t tag_of(std::uint64_t hash) {
  const std::uint16_t tag = static_cast<std::uint16_t>(hash);
  return tag == 0 ? std::uint16_t{1} : tag;
}
RS_DEVICE std::uint32_t first_bucket(std::uint64_t hash, std::uint32_t buckets) {
  return hash_index(hash, buckets);
}
/// Of a hash that has nothing to do with the first bucket.
RS_DEVICE std::uint32_t second_bucket(std::uint64_t hash, std::uint32_t buckets) {
  return hash_index(mix(hash), buckets);
}

/// Offsets are from the parameters' own address.
struct TableParameters {
  std::uint64_t tags;     ///< offset of BucketTags[buckets]
  std::uint64_t entries;  ///< offset of TableEntry[buckets * kBucketEntries]
  std::uint32_t buckets;
};

RS_DEVICE const TableEntry* find_in_bucket(const TableParameters& table, std::uint32_t bucket,
                                           std::uint16_t tag, const FiveTuple& key) {
  const auto* base = reinterpret_cast<const std::uint8_t*>(&table);
  const BucketTags found = reinterpret_cast<const BucketTags*>(base + table.tags)[bucket];
  const auto* entries = reinterpret_cast<const TableEntry*>(base + table.entries) +
                        std::uint64_t{bucket} * kBucketEntries;
  for (std::uint32_t i = 0; i < kBucketEntries; ++i) {
    if (found.tags[i] == tag && entries[i].key == key) return entries + i;
  }
  return nullptr;
}

/// nullptr: not in the table.
RS_DEVICE const TableEntry* find_entry(const TableParameters& table, const FiveTuple& key) {
  const std::uint64_t hash = tuple_hash(key);
  const std::uint16_t tag = tag_of(hash);
  const TableEntry* entry = find_in_bucket(table, first_bucket(hash, table.buckets), tag, key);
  if (entry != nullptr) return entry;
  return find_in_bucket(table, second_bucket(hash, table.buckets), tag, key);
}

/// Sets the packet's tag to what the table says of its flow. false: it is not in the table.
RS_DEVICE bool run_table(PacketView& packet, const TableParameters& table) {
  FiveTuple key;
  if (!five_tuple(packet, false, key)) return false;
  const TableEntry* entry = find_entry(table, key);
  if (entry == nullptr) return false;
  packet.tag = static_cast<std::uint32_t>(entry->value);
  return true;
}

}  // namespace ringside::stages
