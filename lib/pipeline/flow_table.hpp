// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Builds the five-tuple tables that kernels look up (kernels/stages/table.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/stages/table.hpp"

namespace ringside::pipeline {

class FlowTable {
 public:
  /// Room for `capacity` entries, at least; of two with the same key the last one holds. Throws
  /// usage_error for more entries than that.
  FlowTable(std::span<const stages::TableEntry> entries, std::uint32_t capacity);

  /// That a table for so many entries has, nearly always: for a set of keys that does not fit it
  /// takes some more.
  static std::uint32_t buckets_for(std::uint32_t capacity) noexcept;
  static std::uint64_t bytes_for(std::uint32_t capacity) noexcept;

  std::uint32_t buckets() const noexcept { return static_cast<std::uint32_t>(tags_.size()); }
  std::span<const stages::BucketTags> tags() const noexcept { return tags_; }
  std::span<const stages::TableEntry> entries() const noexcept { return entries_; }

 private:
  bool insert(stages::TableEntry entry);
  bool put(std::uint32_t bucket, const stages::TableEntry& entry, std::uint16_t tag);
  stages::TableEntry* find(const stages::FiveTuple& key);
  bool fill(std::span<const stages::TableEntry> entries, std::uint32_t buckets);

  std::vector<stages::BucketTags> tags_;
  std::vector<stages::TableEntry> entries_;  ///< kBucketEntries a bucket
};

}  // namespace ringside::pipeline
