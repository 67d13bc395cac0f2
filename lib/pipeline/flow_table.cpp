// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/flow_table.hpp"

#include <algorithm>
#include <utility>

#include "lib/base/error.hpp"

namespace ringside::pipeline {
namespace {

using stages::kBucketEntries;

/// Cuckoo hashing with four entries a bucket fills up to some 97 percent; below this, an insertion
/// moves few others.
constexpr double kLoad = 0.85;
constexpr int kMostMoves = 500;

}  // namespace

std::uint32_t FlowTable::buckets_for(std::uint32_t capacity) noexcept {
  return static_cast<std::uint32_t>(capacity / (kLoad * kBucketEntries)) + 1;
}

std::uint64_t FlowTable::bytes_for(std::uint32_t capacity) noexcept {
  return std::uint64_t{buckets_for(capacity)} *
         (sizeof(stages::BucketTags) + kBucketEntries * sizeof(stages::TableEntry));
}

FlowTable::FlowTable(std::span<const stages::TableEntry> entries, std::uint32_t capacity) {
  if (entries.size() > capacity) {
    throw usage_error(
        fmt::format("a table of {} entries, for at most {}", entries.size(), capacity),
        "raise its capacity");
  }
  std::uint32_t buckets = buckets_for(capacity);
  while (!fill(entries, buckets)) buckets += buckets / 8 + 1;
}

bool FlowTable::fill(std::span<const stages::TableEntry> entries, std::uint32_t buckets) {
  tags_.assign(buckets, {});
  entries_.assign(std::size_t{buckets} * kBucketEntries, {});
  return std::ranges::all_of(entries,
                             [this](const stages::TableEntry& entry) { return insert(entry); });
}

stages::TableEntry* FlowTable::find(const stages::FiveTuple& key) {
  const std::uint64_t hash = stages::tuple_hash(key);
  for (const std::uint32_t bucket :
       {stages::first_bucket(hash, buckets()), stages::second_bucket(hash, buckets())}) {
    for (std::uint32_t i = 0; i < kBucketEntries; ++i) {
      stages::TableEntry& entry = entries_[std::size_t{bucket} * kBucketEntries + i];
      if (tags_[bucket].tags[i] == stages::tag_of(hash) && entry.key == key) return &entry;
    }
  }
  return nullptr;
}

bool FlowTable::put(std::uint32_t bucket, const stages::TableEntry& entry, std::uint16_t tag) {
  for (std::uint32_t i = 0; i < kBucketEntries; ++i) {
    if (tags_[bucket].tags[i] != 0) continue;
    tags_[bucket].tags[i] = tag;
    entries_[std::size_t{bucket} * kBucketEntries + i] = entry;
    return true;
  }
  return false;
}

/// false: too full.
bool FlowTable::insert(stages::TableEntry entry) {
  if (stages::TableEntry* const known = find(entry.key)) {
    known->value = entry.value;
    return true;
  }
  std::uint64_t hash = stages::tuple_hash(entry.key);
  std::uint32_t bucket = stages::first_bucket(hash, buckets());
  if (put(stages::second_bucket(hash, buckets()), entry, stages::tag_of(hash))) return true;
  for (int move = 0; move < kMostMoves; ++move) {
    if (put(bucket, entry, stages::tag_of(hash))) return true;
    // Takes another's place, who goes to its other bucket. Which one's is drawn by the hash, so
    // that two buckets do not push the same pair to and fro.
    const auto victim =
        static_cast<std::uint32_t>((hash + static_cast<unsigned>(move)) >> 7) % kBucketEntries;
    std::swap(entry, entries_[std::size_t{bucket} * kBucketEntries + victim]);
    tags_[bucket].tags[victim] = stages::tag_of(hash);
    hash = stages::tuple_hash(entry.key);
    const std::uint32_t first = stages::first_bucket(hash, buckets());
    bucket = bucket == first ? stages::second_bucket(hash, buckets()) : first;
  }
  return false;
}

}  // namespace ringside::pipeline
