// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// What the rules said of a plain packet, for the next ones of its flow. Engine thread only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/softcx/steering/classify.hpp"
#include "lib/softcx/steering/plain_packet.hpp"

namespace softcx {

struct Target;

/// A verdict without its receive queue: that one is chosen for each packet, since receive tables
/// change without the rules. Laid out so that what is read of it for each packet lies together.
struct FlowVerdict {
  const Target* target = nullptr;  ///< of a verdict to deliver
  std::uint32_t rss_hash = 0;
  std::uint32_t flow_tag = 0;
  std::uint8_t rss_hash_type = 0;
  Verdict::Kind kind = Verdict::Kind::kNoRule;
  bool marked = false;
  std::uint8_t counter_count = 0;
  std::array<FlowCounter*, Verdict::kMaxCounters> counters;  ///< the first `counter_count`
};

/// Direct mapped: a flow that meets another one at its place takes it.
class FlowCache {
 public:
  FlowCache() : entries_(kEntries) {}

  /// `generation`: of the rules, never 0; what an older one said is not found.
  const FlowVerdict* find(const PlainWords& b, std::uint64_t generation) const noexcept {
    const Entry& entry = entries_[place(b)];
    const PlainWords& a = entry.words;
    const std::uint64_t other = (a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3]);
    return (other | (entry.generation ^ generation)) == 0 ? &entry.flow : nullptr;
  }
  void insert(const PlainWords& words, std::uint64_t generation, const FlowVerdict& flow) noexcept {
    entries_[place(words)] = {generation, words, flow};
  }

  static constexpr std::size_t kEntries = 4096;

 private:
  struct alignas(64) Entry {
    std::uint64_t generation = 0;
    PlainWords words{};
    FlowVerdict flow;
  };
  static_assert(offsetof(FlowVerdict, counters) + 40 <= 64, "a look-up reads one cache line");

  static std::size_t place(const PlainWords& words) noexcept {
    // Independent products, so that they take the time of one. The high bits depend on all others.
    const std::uint64_t mixed = words[0] * 0x9e3779b97f4a7c15U + words[1] * 0xc2b2ae3d27d4eb4fU +
                                (words[2] ^ words[2] >> 32) * 0xff51afd7ed558ccdU +
                                (words[3] ^ words[3] >> 32) * 0xc4ceb9fe1a85ec53U;
    return mixed >> (64 - kLogEntries);
  }

  static constexpr unsigned kLogEntries = 12;
  static_assert(kEntries == 1U << kLogEntries);

  std::vector<Entry> entries_;
};

}  // namespace softcx
